//===- Programs.cpp - Small LibTorch programs, one per argument -----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Everything the recorder is tested on, in one file since compiling LibTorch's
/// headers is what takes time. Built as a program and as a plug-in.
///
//===----------------------------------------------------------------------===//

#include "torchtidy/torchtidy.h"
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <sys/wait.h>
#include <thread>
#include <torch/torch.h>
#include <unistd.h>

using torch::Tensor;
namespace nn = torch::nn;

namespace {

struct Net : nn::Module {
  nn::Sequential Layers;
  Net() {
    for (int I = 0; I < 3; ++I) {
      Layers->push_back(nn::Linear(256, 256));
      Layers->push_back(nn::ReLU());
    }
    Layers->push_back(nn::Linear(256, 8));
    register_module("layers", Layers);
  }
  Tensor forward(Tensor X) { return Layers->forward(X); }
};

struct Setup {
  std::shared_ptr<Net> Model = std::make_shared<Net>();
  torch::optim::SGD Optimizer{Model->parameters(), 0.001};
  Tensor X = torch::randn({32, 256}), Y = torch::randn({32, 8});
  Tensor loss() { return torch::mse_loss(Model->forward(X), Y); }
};

/// The loops of known cost: what each leaves behind per iteration is known
/// exactly.
bool runCase(const std::string &Case, int Iterations) {
  Setup S;
  std::vector<Tensor> Kept;
  Tensor Total = torch::zeros({});
  double Sum = 0;
  bool Known = true;
  for (int I = 0; I < Iterations && Known; ++I) {
    if (Case == "eval-dropped") {
      Sum += S.Model->forward(S.X).sum().item<float>();
    } else if (Case == "eval-guarded") {
      torch::NoGradGuard Guard;
      Sum += S.Model->forward(S.X).sum().item<float>();
    } else if (Case == "eval-inference") {
      torch::InferenceMode Guard;
      Sum += S.Model->forward(S.X).sum().item<float>();
    } else if (Case == "eval-stored") {
      Kept.push_back(S.Model->forward(S.X));
    } else if (Case == "eval-temporary-guard") {
      torch::NoGradGuard();
      Kept.push_back(S.Model->forward(S.X));
    } else if (Case == "total-without-backward") {
      Total = Total + S.loss();
    } else if (Case == "create-graph") {
      S.loss().backward({}, true, true);
    } else if (Case == "in-place-view") {
      auto H = S.Model->forward(S.X) * 2;
      H.narrow(0, 0, 4).mul_(3.0);
      Sum += H.sum().item<float>();
    } else {
      Tensor Loss = S.loss();
      S.Optimizer.zero_grad();
      if (Case == "create-graph-zeroed")
        Loss.backward({}, true, true);
      else if (Case == "retain-graph")
        Loss.backward({}, true);
      else
        Loss.backward();
      S.Optimizer.step();
      if (Case == "push-item")
        Sum += Loss.item<float>();
      else if (Case == "push-detached")
        Kept.push_back(Loss.detach());
      else if (Case == "push-loss" || Case == "retain-graph")
        Kept.push_back(Loss);
      else if (Case == "total")
        Total += Loss;
      else if (Case == "heap")
        *static_cast<volatile char *>(std::malloc(5000)) = 1;
      else
        Known = Case == "create-graph-zeroed";
    }
    torchtidy::iteration();
  }
  std::cout << Case << " " << Sum << " " << Kept.size() << "\n";
  return Known;
}

/// The way to main leads far across the stack.
__attribute__((noinline)) bool runFromAfar(int Iterations) {
  volatile char Large[1 << 20];
  Large[Iterations] = 1;
  return runCase("push-loss", Iterations) && Large[Iterations];
}

void train(int Iterations) {
  Setup S;
  for (int I = 0; I < Iterations; ++I) {
    torchtidy::scope Phase("train");
    S.Optimizer.zero_grad();
    S.loss().backward();
    S.Optimizer.step();
  }
}

/// Grad mode is on all the time, inference mode comes and goes.
void changeModes(int Iterations) {
  for (int I = 0; I < Iterations; ++I) {
    Tensor Normal = torch::ones({4});
    torch::InferenceMode Inference;
    torch::AutoGradMode On(true);
    Tensor Other = torch::ones({4});
  }
}

/// k backwards per step, with .grad defined from the second on.
void accumulate(int Steps) {
  Setup S;
  for (int I = 0; I < Steps; ++I) {
    for (auto &P : S.Model->parameters())
      P.mutable_grad() = Tensor();
    for (int K = 0; K < 4; ++K)
      S.loss().backward();
    S.Optimizer.step();
  }
}

void runThreads(int Count) {
  std::vector<std::thread> Threads;
  for (int I = 0; I < Count; ++I)
    Threads.emplace_back([] { train(50); });
  for (auto &T : Threads)
    T.join();
  // Blocks that change hands: freed by another thread than made them.
  std::vector<Tensor> Passed;
  std::thread([&] {
    for (int I = 0; I < 100; ++I)
      Passed.push_back(torch::randn({100}));
  }).join();
  Passed.clear();
}

/// The first that LibTorch does is done by all of them at once.
void startTogether(int Count) {
  std::atomic<int> Missing{Count};
  std::vector<std::thread> Threads;
  for (int I = 0; I < Count; ++I)
    Threads.emplace_back([&] {
      --Missing;
      while (Missing > 0) {
      }
      torch::ones({4}, torch::requires_grad()).sum().backward();
    });
  for (auto &T : Threads)
    T.join();
}

int runFork() {
  train(5);
  pid_t Child = fork();
  if (Child == 0) {
    train(7);
    exit(3);
  }
  train(5);
  int Status = 0;
  waitpid(Child, &Status, 0);
  return WEXITSTATUS(Status) == 3 ? 0 : 1;
}

/// A backward within a backward: below a certain depth LibTorch moves on to
/// threads of its own.
struct Nested : torch::autograd::Function<Nested> {
  static Tensor forward(torch::autograd::AutogradContext *Context, Tensor X,
                        int64_t Depth) {
    Context->saved_data["depth"] = Depth;
    return X * 2;
  }
  static torch::autograd::variable_list
  backward(torch::autograd::AutogradContext *Context,
           torch::autograd::variable_list Grads) {
    int64_t Depth = Context->saved_data["depth"].toInt();
    if (Depth > 0) {
      torch::AutoGradMode On(true);
      Tensor X = torch::ones({4}, torch::requires_grad());
      Nested::apply(X, Depth - 1).sum().backward();
    }
    return {Grads[0] * 2, Tensor()};
  }
};

void backwardTwice() {
  Setup S;
  for (int I = 0; I < 5; ++I) {
    Tensor Loss = S.loss();
    Loss.backward();
    try {
      Loss.backward();
      std::cout << "no error?\n";
    } catch (const c10::Error &) {
    }
    S.Optimizer.step();
  }
}

// The programs whose slowdown is measured.

struct Transformer : nn::Module {
  nn::Embedding Embed{nn::Embedding(500, 128)};
  nn::TransformerEncoder Encoder{nullptr};
  nn::Linear Out{nn::Linear(128, 10)};
  Transformer() {
    auto Layer =
        nn::TransformerEncoderLayerOptions(128, 4).dim_feedforward(256);
    Encoder = nn::TransformerEncoder(nn::TransformerEncoderOptions(Layer, 4));
    register_module("embed", Embed);
    register_module("encoder", Encoder);
    register_module("out", Out);
  }
  Tensor forward(Tensor X) {
    return Out->forward(Encoder->forward(Embed->forward(X)).mean(0));
  }
};

struct Tiny : nn::Module {
  nn::Linear A{nn::Linear(16, 16)}, B{nn::Linear(16, 10)};
  Tiny() {
    register_module("a", A);
    register_module("b", B);
  }
  Tensor forward(Tensor X) { return B->forward(torch::relu(A->forward(X))); }
};

double cpuSeconds() {
  timespec T;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
  return double(T.tv_sec) + double(T.tv_nsec) * 1e-9;
}

/// A function of its own: counters of instructions know it by name.
template <typename Step>
__attribute__((noinline)) void benchLoop(int Iterations, Step Run) {
  for (int I = 0; I < Iterations; ++I)
    Run();
}

/// Prints CPU microseconds per iteration.
template <typename Step> void timed(int Iterations, Step Run) {
  for (int I = 0; I < Iterations / 10 + 2; ++I)
    Run();
  double Start = cpuSeconds();
  benchLoop(Iterations, Run);
  std::cout << (cpuSeconds() - Start) / Iterations * 1e6 << "\n";
}

template <typename Model>
void benchTraining(int Iterations, Tensor X, Tensor Y) {
  Model M;
  torch::optim::Adam Optimizer(M.parameters(), 1e-3);
  timed(Iterations, [&] {
    Tensor Loss = torch::cross_entropy_loss(M.forward(X), Y);
    Optimizer.zero_grad();
    Loss.backward();
    Optimizer.step();
  });
}

bool bench(const std::string &Name, int Iterations) {
  torch::set_num_threads(1);
  auto Labels = [](int N) { return torch::randint(0, 10, {N}, torch::kLong); };
  if (Name == "bench-transformer") {
    benchTraining<Transformer>(
        Iterations, torch::randint(0, 500, {32, 16}, torch::kLong), Labels(16));
  } else if (Name == "bench-tiny") {
    benchTraining<Tiny>(Iterations, torch::randn({8, 16}), Labels(8));
  } else if (Name == "bench-operators") {
    // Nothing but operators of a few elements, half of them recorded.
    Tensor X = torch::randn({4}, torch::requires_grad());
    timed(Iterations, [&] {
      Tensor Y = X;
      for (int I = 0; I < 20; ++I)
        Y = Y * 1.01 + 0.5;
      torch::NoGradGuard Guard;
      for (int I = 0; I < 20; ++I)
        Y = Y * 1.01 + 0.5;
    });
  } else {
    return false;
  }
  return true;
}

int run(const std::string &What, int N) {
  torch::manual_seed(1);
  if (What == "train")
    train(N);
  else if (What == "large-frame")
    return runFromAfar(N) ? 0 : 2;
  else if (What == "accumulate")
    accumulate(N);
  else if (What == "modes")
    changeModes(N);
  else if (What == "threads")
    runThreads(N);
  else if (What == "together")
    startTogether(N);
  else if (What == "fork")
    return runFork();
  else if (What == "nested")
    Nested::apply(torch::ones({4}, torch::requires_grad()), N).sum().backward();
  else if (What == "backward-twice")
    backwardTwice();
  else if (What == "exit")
    train(3), exit(N);
  else if (What == "_exit")
    train(3), _exit(N);
  else if (What == "abort")
    train(3), abort();
  else if (What == "segfault")
    train(3), raise(SIGSEGV);
  else if (What == "kill")
    train(3), raise(SIGKILL);
  else if (What == "forever")
    for (;;)
      train(20);
  else if (What == "nothing")
    std::cout << torch::cuda::is_available() << "\n";
  else if (!bench(What, N) && !runCase(What, N))
    return 2;
  return 0;
}

} // namespace

extern "C" __attribute__((visibility("default"))) int
pluginMain(const char *What, int N) {
  return run(What, N);
}

#ifndef TORCHTIDY_PLUGIN
int main(int Argc, char **Argv) {
  return run(Argc > 1 ? Argv[1] : "", Argc > 2 ? std::atoi(Argv[2]) : 0);
}
#endif
