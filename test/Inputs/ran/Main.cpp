#include "Sink.h"
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

struct Trainer {
  Store S;
  std::map<int, Value> ByKey;

  NOINLINE void step(const Value &V, int I, bool Debug) {
    S.keep(V, Debug ? 1 : 0);
    if (Debug)
      ByKey[I] = V; //@ map_assign no
    if (!S.Total)
      S.Total = make(1); //@ member_first yes
    (*S.Total)[0] += reduce(V); //@ member_sum yes
    if (I % 2)
      consume(V); //@ odd_consume yes
  }
};

// Two branches with equal code: one may be merged into the other.
NOINLINE void mergeable(std::vector<Value> &V, const Value &X, int M) {
  if (M == 0)
    V.emplace_back(make(3)); //@ merge_ran yes
  else
    V.emplace_back(make(3)); //@ merge_not no
  consume(X);
}

// Equal functions: may be folded by the linker.
NOINLINE void foldA(std::deque<Value> &D, const Value &X) {
  D.push_back(X); //@ fold_a yes
}
NOINLINE void foldB(std::deque<Value> &D, const Value &X) {
  D.push_back(X); //@ fold_b no
}

NOINLINE long arithmetic(long A, long B, int N, long *Out) {
  long Sum = 0;
  for (int I = 0; I < N; I++) {
    if (I > 1000000)
      Sum += A * B; //@ hoisted no
    if (I & 1)
      Sum += A * 3; //@ selected yes
    if (N < 0)
      Out[I] = A; //@ unswitched no
  }
  long Unused = A * B; //@ dead_store yes
  (void)Unused;
  return Sum;
}

NOINLINE void throwing(std::vector<Value> &V, bool Throw) {
  Value Before = make(4); //@ before_throw yes
  if (Throw)
    throw std::runtime_error("x"); //@ throw yes
  V.push_back(Before); //@ after_throw no
}

static std::function<void(const Value &)> listener(std::vector<Value> &V,
                                                   bool Keep) {
  return [&V, Keep](const Value &X) {
    if (Keep)
      V.push_back(X); //@ lambda_keep yes
    else
      V.push_back(make(6)); //@ lambda_not no
  };
}

NOINLINE void oneLine(std::vector<Value> &V, const Value &X, bool Keep) {
  // Two statements of one line; the second does not run.
  if (!Keep) V.pop_back(); else V.push_back(X); //@ one_line no 14-26
}

NOINLINE void manyLines(std::vector<Value> &V, int M) {
  if (M == 7)
    V.push_back(
        make(
            M)); //@ many_lines no lines=3
  if (M < 7)
    V.push_back(
        make(M + 1)); //@ many_lines_ran yes lines=2
}

NOINLINE Value tail(int N) {
  if (N > 1000000)
    return make(N); //@ tail_not no
  return make(1 + N); //@ tail_ran yes
}

NOINLINE void fromThread(std::vector<Value> &V) {
  V.push_back(make(8)); //@ thread_push yes
}
NOINLINE void fromChild(std::vector<Value> &V) {
  V.push_back(make(9)); //@ child_push yes
}
NOINLINE void fromCatch(std::vector<Value> &V) {
  V.push_back(make(10)); //@ catch_push yes
}

struct AtStart {
  std::vector<Value> V;
  AtStart() {
    V.push_back(make(11)); //@ constructor_push yes
  }
} Start;

int main(int Count, char **Arguments) {
  int N = Count > 1 ? std::atoi(Arguments[1]) : 10;
  Trainer T;
  std::vector<Value> A, B;
  std::deque<Value> D;
  auto Keep = listener(A, true), Drop = listener(B, true);
  double Sum = 0;
  for (int I = 0; I < N; ++I) {
    Value V = make(I + 1); //@ loop_make yes
    T.step(V, I, N > 1000000);
    mergeable(A, V, 0);
    foldA(D, V);
    if (N > 1000000) {
      foldB(D, V);
      mergeable(A, V, 1);
      throwing(A, false);
    }
    Keep(V);
    Drop(V);
    std::vector<Value> Q;
    addTo(Q, V, I);
    std::vector<int> Ints;
    addTo(Ints, I, I);
    oneLine(A, V, true);
    manyLines(A, I & 1);
    Sum += reduce(tail(I)); //@ loop_reduce yes
    if (I > 100000000)
      B.push_back(make(5)); //@ loop_not no
  }
  long Out[4];
  Sum += static_cast<double>(arithmetic(N, 3, 100, Out));
  try {
    throwing(A, true);
  } catch (std::exception &) {
    fromCatch(A);
  }
  std::thread([&] { fromThread(B); }).join();
  if (pid_t Child = fork()) {
    int Status = 0;
    waitpid(Child, &Status, 0);
  } else {
    fromChild(B);
    _exit(0);
  }
  if (Count > 2)
    if (void *Plugin = dlopen(Arguments[2], RTLD_NOW | RTLD_LOCAL))
      reinterpret_cast<void (*)(void *, const void *)>(
          dlsym(Plugin, "pluginEntry"))(&A, &A[0]);
  std::printf("%g %zu\n", Sum, A.size());
}
