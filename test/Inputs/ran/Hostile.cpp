// A program that makes life hard for breakpoints: its own SIGTRAP handler, all
// signals blocked, racing threads, a forked child, a handler of another signal.
// With an argument it kills itself at the end.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define NOINLINE __attribute__((noinline))

volatile long Sink;
volatile sig_atomic_t OwnTraps;
std::atomic<int> Ready{0};

NOINLINE void work(long N) {
  Sink = Sink + N;
  asm volatile("" ::: "memory");
}
NOINLINE void racing(int N) {
  work(N); //@ race yes
}
NOINLINE void inChild(int N) {
  work(N + 1); //@ child yes
}
NOINLINE void inHandler() {
  work(5); //@ handler yes
}
NOINLINE void whileBlocked() {
  work(6); //@ blocked yes
}
NOINLINE void never() {
  work(8); //@ never no
}
NOINLINE void last() {
  work(9); //@ last yes
}

void onTrap(int) { OwnTraps = OwnTraps + 1; }
void onUser(int) { inHandler(); }

int main(int Count, char **) {
  signal(SIGTRAP, onTrap);
  asm volatile("int3");
  raise(SIGTRAP);
  struct sigaction Old {};
  sigaction(SIGTRAP, nullptr, &Old);
  if (Old.sa_handler != onTrap || OwnTraps != 2)
    return 3;

  struct sigaction User {};
  User.sa_handler = onUser;
  sigfillset(&User.sa_mask);
  sigaction(SIGUSR1, &User, nullptr);
  raise(SIGUSR1);
  if (Count > 5)
    never();

  std::vector<std::thread> Threads;
  for (int T = 0; T < 8; ++T)
    Threads.emplace_back([] {
      sigset_t All;
      sigfillset(&All);
      pthread_sigmask(SIG_SETMASK, &All, nullptr);
      for (++Ready; Ready < 8;)
        ;
      for (int I = 0; I < 2500; ++I)
        racing(I);
    });
  for (auto &T : Threads)
    T.join();

  if (pid_t Child = fork()) {
    int Status = 0;
    waitpid(Child, &Status, 0);
    if (Status != 0)
      return 4;
  } else {
    inChild(1);
    racing(1);
    _exit(0);
  }

  sigset_t All;
  sigfillset(&All);
  sigprocmask(SIG_BLOCK, &All, nullptr);
  whileBlocked();
  last();
  if (Count > 1)
    kill(getpid(), SIGKILL);
  std::puts("end");
  return 0;
}
