//===- cases.cpp - LibTorch programs of known truth ----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: cases CASE ITERATIONS
//
// A comment `@ CASE CHECK [OPTIONS] -> VERDICT` makes its line a finding when
// CASE runs and tells the verdict that is right. Options: `from=A,B` lines
// marked `//# A` and `//# B` are the producers, `holder=NAME` declared `at=A`,
// `bounded`, `also=CASE2` runs with another case's finding as a rival, `bytes=`
// and `nodes=` per iteration, `heap=` what is lost of the C heap besides what the
// nodes of a step take, some 10 kB.
//
//===----------------------------------------------------------------------===//

#include <torch/torch.h>

#include <csignal>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Sequential Layers;
  Net() {
    for (int I = 0; I < 3; ++I) {
      Layers->push_back(torch::nn::Linear(256, 256));
      Layers->push_back(torch::nn::ReLU());
    }
    Layers->push_back(torch::nn::Linear(256, 8));
    register_module("layers", Layers);
  }
  Tensor forward(Tensor X) { return Layers->forward(X); }
};

struct Program {
  std::string Case;
  int N;
  std::shared_ptr<Net> Model = std::make_shared<Net>();
  torch::optim::SGD Optimizer{Model->parameters(), 0.001};
  Tensor X = torch::randn({32, 256}), Y = torch::randn({32, 8});
  std::vector<Tensor> Kept; //# kept
  std::deque<Tensor> Recent;
  std::map<int, Tensor> ByKey;
  Tensor Total = torch::zeros({}), Buffer = torch::zeros({4096});
  double Sum = 0;

  Tensor forwardLoss() {
    auto Out = Model->forward(X);      //# forward
    return torch::mse_loss(Out, Y);    //# loss
  }

  void train(int I) {
    Tensor Loss = forwardLoss();
    Optimizer.zero_grad();
    if (Case == "retain")
      Loss.backward({}, true);
    else
      Loss.backward(); //@ once unscaled-accumulation -> contradicted
    Optimizer.step();

    if (Case == "push_loss" || Case == "retain" || Case == "shared" ||
        Case == "killed" || Case == "crashed")
      Kept.push_back(Loss); //@ push_loss,retain,crashed,killed retained-graph from=forward,loss holder=Kept nodes=12 -> confirmed
    if (Case == "shared")
      ByKey[I] = Loss; //@ shared retained-graph from=forward,loss also=push_loss holder=ByKey -> undecided
    else if (Case == "branches" && I % 2)
      Kept.insert(Kept.begin(), Loss); //@ branches retained-graph from=forward,loss also=branch holder=Kept at=kept nodes=12 -> confirmed
    else if (Case == "branches" || Case == "branch")
      Kept.push_back(Loss); //@ branch retained-graph from=forward,loss also=branches holder=Kept at=kept nodes=12 -> confirmed
    else if (Case == "bounded")
      Kept.push_back(Loss); //@ bounded retained-graph from=forward,loss holder=Kept bounded -> undecided
    else if (Case == "total")
      Total += Loss; //@ total retained-graph from=forward,loss holder=Total nodes=13 bytes=0 -> confirmed
    else if (Case == "total_plus")
      Total = Total + Loss; //@ total_plus retained-graph from=forward,loss holder=Total nodes=13 -> confirmed
    else if (Case == "map_key")
      ByKey[I] = Loss; //@ map_key retained-graph from=forward,loss holder=ByKey nodes=12 -> confirmed
    else if (Case == "buffer")
      Buffer[I] = Loss; //@ buffer retained-graph from=forward,loss holder=Buffer -> confirmed
    else if (Case == "detach")
      Kept.push_back(Loss.detach()); //@ detach retained-graph from=forward,loss holder=Kept -> contradicted
    else if (Case == "item")
      Sum += Loss.item<float>(); //@ item retained-graph from=forward,loss holder=Sum -> contradicted
    else if (Case == "deque5") {
      Recent.push_back(Loss); //@ deque5 retained-graph from=forward,loss holder=Recent bounded -> contradicted
      if (Recent.size() > 5)
        Recent.pop_front();
    } else if (Case == "epoch") {
      Kept.push_back(Loss); //@ epoch retained-graph from=forward,loss holder=Kept bounded -> contradicted
      if (I % 20 == 19)
        Kept.clear();
    } else if (Case == "best") {
      if (!Total.requires_grad() || I == N / 2)
        Total = Loss.clone(); //@ best retained-graph from=forward,loss holder=Total -> contradicted
    }
    if (I > 1000000)
      Kept.push_back(Loss); //@ never retained-graph from=forward,loss holder=Kept -> not exercised
    if (Case == "leak" || Case == "leak_short") {
      *static_cast<volatile char *>(std::malloc(100000)) = 1;
      Kept.push_back(Loss); //@ leak,leak_short retained-graph from=forward,loss holder=Kept heap=100016 -> confirmed,undecided
    }
    if (Case == "plain_leak")
      *static_cast<volatile char *>(std::malloc(3000)) = 1;
    if (Case == "short")
      Kept.push_back(Loss); //@ short retained-graph from=forward,loss holder=Kept -> undecided
  }

  void accumulate(int I) {
    if (I % 4 == 0)
      Optimizer.zero_grad();
    Tensor Loss = forwardLoss();
    if (Case == "divided")
      (Loss / 4).backward(); //@ divided unscaled-accumulation -> contradicted
    else if (Case == "factor")
      (Loss * 0.25).backward(); //@ factor unscaled-accumulation -> undecided
    else
      Loss.backward(); //@ unscaled unscaled-accumulation -> confirmed
    if (I % 4 == 3)
      Optimizer.step();
  }

  Tensor predict(const Tensor &In) {
    auto Out = Model->forward(In); //@ unguarded,twice,guarded,inference_mode,forces,frozen missing-no-grad -> confirmed,undecided,contradicted,contradicted,contradicted,contradicted
    return Out;
  }

  void unnamed() {
    if (Case == "unnamed_never" && X.numel() == 0)
      torch::NoGradGuard();                       //@ unnamed_never unnamed-guard from=after -> not exercised
    if (Case == "unnamed_other")
      torch::AutoGradMode(true);                  //@ unnamed_other unnamed-guard -> undecided
    torch::NoGradGuard();                         //@ unnamed,unnamed_guarded unnamed-guard from=after -> confirmed,contradicted
    Sum += Model->forward(X).sum().item<float>(); //# after
  }

  void trainUnderGuard() {
    torch::NoGradGuard Guard; //@ off_covered,off_enabled no-grad-in-training from=off_backward,off_loss -> confirmed,contradicted
    torch::AutoGradMode Mode(Case == "off_enabled");
    Tensor Loss = forwardLoss(); //# off_loss
    Loss.backward();             //# off_backward
  }

  void leaveOff(int I) {
    if (I == 10 && Case == "off_left")
      torch::GradMode::set_enabled(false); //@ off_left no-grad-in-training from=off_step -> confirmed
    if (I == 1000000)
      torch::GradMode::set_enabled(false); //@ off_never no-grad-in-training from=off_step -> not exercised
    if (Case == "off_restored") {
      torch::GradMode::set_enabled(false); //@ off_restored no-grad-in-training from=off_step -> contradicted
      Sum += Model->forward(X).sum().item<float>();
      torch::GradMode::set_enabled(true);
    }
    if (Case == "off_unused")
      torch::GradMode::set_enabled(false); //@ off_unused no-grad-in-training -> undecided
  }

  void evaluate() {
    Model->eval();
    if (Case == "unnamed_guarded") {
      torch::NoGradGuard Guard;
      unnamed();
    } else if (Case.rfind("unnamed", 0) == 0) {
      unnamed();
    } else if (Case == "guarded") {
      torch::NoGradGuard Guard;
      Sum += predict(X).sum().item<float>();
    } else if (Case == "inference_mode") {
      c10::InferenceMode Guard;
      Sum += predict(X).sum().item<float>();
    } else if (Case == "forces") {
      auto In = X.clone().requires_grad_();
      auto Grads = torch::autograd::grad({predict(In).sum()}, {In});
      Sum += Grads[0].sum().item<float>();
    } else if (Case == "frozen") {
      for (auto &P : Model->parameters())
        P.set_requires_grad(false);
      Sum += predict(X).sum().item<float>();
    } else if (Case == "stored") {
      Kept.push_back(Model->forward(X)); //@ stored retained-graph holder=Kept nodes=11 bytes=99328 -> confirmed
    } else if (Case == "total_nobw") {
      Total = Total + torch::mse_loss(Model->forward(X), Y); //@ total_nobw retained-graph holder=Total nodes=13 bytes=99328 -> confirmed
    } else {
      Sum += predict(X).sum().item<float>();
    }
  }

  /// Sums with history, freed when it returns.
  double validate() {
    Tensor Loss = torch::zeros({});
    for (int Batch = 0; Batch < 12; ++Batch)
      Loss += torch::mse_loss(Model->forward(X), Y); //@ validate retained-graph holder=Loss -> confirmed
    std::vector<Tensor> Last(3);
    for (int Batch = 0; Batch < 12; ++Batch)
      Last[Batch % 3] = Model->forward(X); //@ overwrite retained-graph holder=Last -> contradicted
    return Loss.item<double>() + Last[0].sum().item<double>();
  }
};

/// Graphs that backward is told to keep.
struct Keeping {
  torch::nn::Linear Layer{8, 8};
  Tensor X = torch::randn({4, 8});

  void train(const std::string &Case) {
    Layer->zero_grad();
    Tensor In = X.clone().requires_grad_();
    Tensor Loss = Layer->forward(In).pow(2).sum();
    if (Case == "kept_created") {
      Loss.backward({}, true, true); //@ kept_created retain-graph holder=grad -> confirmed
      In.grad().norm().backward();
    } else if (Case == "kept_emptied") {
      Loss.backward({}, true, true); //@ kept_emptied retain-graph holder=grad -> contradicted
      In.mutable_grad().reset();
      for (auto &P : Layer->parameters())
        P.mutable_grad().reset();
    } else {
      Loss.backward({}, true); //@ kept_unused,kept_used,kept_short retain-graph -> confirmed,contradicted,undecided
      if (Case == "kept_used")
        (Loss * 2).backward();
    }
    if (Case.empty())
      Loss.backward({}, true); //@ kept_never retain-graph -> not exercised
  }
};

/// When gradients are zeroed.
struct Zeroing {
  torch::nn::Linear Layer{8, 8};
  torch::optim::SGD Optimizer{Layer->parameters(), 0.0001};
  Tensor X = torch::randn({4, 8});

  void train(const std::string &Case, int I) {
    if (Case == "zero_wipes" || Case == "zero_each")
      Optimizer.zero_grad(); //@ zero_wipes,zero_each zero-grad -> confirmed,contradicted
    else if (Case == "zero_outside")
      Layer->zero_grad();
    else if (Case == "zero_anew")
      for (auto &P : Layer->parameters())
        P.mutable_grad() = Tensor();
    Layer->forward(X).sum().backward();
    if (Case == "zero_lost")
      Optimizer.zero_grad(); //@ zero_lost zero-grad -> confirmed
    if (Case == "zero_wipes" ? I % 4 == 3 : true)
      Optimizer.step(); //@ zero_none,zero_outside,zero_anew,zero_short zero-grad -> confirmed,contradicted,contradicted,undecided
    if (Case.empty())
      Optimizer.step(); //@ zero_never zero-grad -> not exercised
  }
};

/// Tensors that are made under inference mode and used outside.
struct Escaping {
  torch::nn::Linear Head{8, 8};
  Tensor X = torch::randn({4, 8});

  void run(const std::string &Case) {
    Tensor Features;
    {
      c10::InferenceMode Mode(Case != "escape_off");
      Features = torch::relu(X); //# features
    }
    if (Case == "escape_cloned")
      Features = Features.clone();
    try {
      if (Case == "escape_in_place")
        Features.add_(1); //@ escape_in_place inference-tensor-escape from=features -> undecided
      else
        Head->forward(Features).sum().backward(); //@ escape,escape_off,escape_cloned inference-tensor-escape from=features -> confirmed,contradicted,contradicted
      if (Case.empty())
        Head->forward(Features); //@ escape_never inference-tensor-escape from=features -> not exercised
    } catch (const c10::Error &) {
    }
  }
};

/// State that goes from step to step.
struct Recurrent {
  torch::nn::GRUCell Cell{torch::nn::GRUCellOptions(8, 16)};
  torch::optim::SGD Optimizer{Cell->parameters(), 0.001};
  Tensor X = torch::randn({4, 8}), State = torch::zeros({4, 16});

  void train(const std::string &Case) {
    Tensor Next = Cell->forward(X, State); //# cell
    Optimizer.zero_grad();
    Next.sum().backward({}, Case == "carried_kept");
    if (Case != "carried_kept")
      Optimizer.step();
    if (Case == "carried" || Case == "carried_kept")
      State = Next; //@ carried,carried_kept undetached-state from=cell holder=State -> confirmed
    else
      State = Next.detach(); //@ cut,cut_short undetached-state from=cell holder=State -> contradicted,undecided
    if (Case.empty())
      State = Next; //@ carried_never undetached-state from=cell holder=State -> not exercised
  }
};

/// A custom function whose context keeps its output, or not.
struct KeepsOutput : torch::autograd::Function<KeepsOutput> {
  static Tensor forward(torch::autograd::AutogradContext *Context, Tensor X,
                        const std::string &Case) {
    Tensor Y = torch::exp(X); //# saved_made
    if (Case == "saved_input")
      Context->saved_data["x"] = X; //@ saved_input saved-data from=saved_made holder=saved_data -> contradicted
    else if (Case == "saved_output" || Case == "saved_unused")
      Context->saved_data["y"] = Y; //@ saved_output,saved_unused saved-data from=saved_made holder=saved_data bytes=32768 -> confirmed
    else
      Context->saved_data["y"] = Y; //@ saved_guarded,saved_short,saved_twice saved-data from=saved_made holder=saved_data -> contradicted,undecided,undecided
    if (Case.empty())
      Context->saved_data["y"] = Y; //@ saved_never saved-data from=saved_made holder=saved_data -> not exercised
    return Y;
  }
  static torch::autograd::variable_list
  backward(torch::autograd::AutogradContext *, torch::autograd::variable_list G) {
    return {G[0], Tensor()};
  }
};

static void applyFunction(const std::string &Case) {
  torch::AutoGradMode Mode(Case != "saved_guarded");
  Tensor Y = KeepsOutput::apply(torch::ones({32, 256}).requires_grad_(), Case);
  if (Case == "saved_output")
    Y.sum().backward();
}

/// A variable that outlives the iteration.
struct Staleness {
  std::shared_ptr<Net> Model = std::make_shared<Net>();
  Tensor X = torch::randn({32, 256});
  std::vector<Tensor> Kept;

  void run(const std::string &Case, int N) {
    torch::AutoGradMode Mode(Case != "stale_guarded");
    Tensor Out;
    for (int I = 0; I < N; ++I) {
      if (Case == "stale_reset")
        Out.reset();
      Out = Model->forward(X); //@ stale,stale_reset,stale_guarded,stale_short,stale_backward,stale_stored stale-output holder=Out -> confirmed,contradicted,contradicted,undecided,contradicted,undecided
      if (Case == "stale_backward")
        Out.sum().backward();
      if (Case == "stale_stored")
        Kept.push_back(Out);
      if (Case.empty())
        Out = Model->forward(X); //@ stale_never stale-output holder=Out -> not exercised
    }
  }
};

/// Gradients of a layer that no optimizer steps.
struct Unowned {
  torch::nn::Linear Trained{8, 8}, Other{8, 8};
  torch::optim::SGD Optimizer{Trained->parameters(), 0.001};
  Tensor X = torch::randn({4, 8});

  void train(const std::string &Case) {
    Optimizer.zero_grad();
    if (Case == "unowned_emptied")
      for (auto *Layer : {&Trained, &Other})
        for (auto &P : (*Layer)->parameters())
          P.mutable_grad() = Tensor();
    Other->forward(Trained->forward(X)).sum().backward(); //@ unowned_kept,unowned_emptied unowned-gradients -> undecided,contradicted
    Optimizer.step();
    if (Case.empty())
      Other->forward(X).sum().backward(); //@ unowned_never unowned-gradients -> not exercised
  }
};

// Several cases have nothing to do with training and are cheap.
int main(int Count, char **Arguments) {
  Program P{Count > 1 ? Arguments[1] : "clean",
            Count > 2 ? std::atoi(Arguments[2]) : 100};
  torch::manual_seed(1);
  torch::set_num_threads(1);
  const std::string &K = P.Case;
  bool Evaluates = K == "unguarded" || K == "twice" || K == "guarded" ||
                   K == "inference_mode" || K == "forces" || K == "frozen" ||
                   K.rfind("unnamed", 0) == 0 || K == "stored" || K == "total_nobw";
  bool Accumulates = K == "unscaled" || K == "divided" || K == "factor";
  Recurrent R;
  Zeroing Z;
  Keeping G;
  if (K.rfind("stale", 0) == 0) {
    Staleness().run(K, P.N);
    return 0;
  }
  Unowned U;
  Escaping E;
  for (int I = 0; I < P.N; ++I) {
    if (K.rfind("unowned", 0) == 0)
      U.train(K);
    else if (K.rfind("escape", 0) == 0)
      E.run(K);
    else if (K.rfind("carried", 0) == 0 || K.rfind("cut", 0) == 0)
      R.train(K);
    else if (K.rfind("saved_", 0) == 0)
      applyFunction(K);
    else if (K.rfind("zero", 0) == 0)
      Z.train(K, I);
    else if (K.rfind("kept", 0) == 0)
      G.train(K);
    else if (K == "off_covered" || K == "off_enabled")
      P.trainUnderGuard();
    else if (K.rfind("off_", 0) == 0) {
      if (K != "off_unused")
        torch::mse_loss(P.Model->forward(P.X), P.Y).backward(); //# off_step
      P.leaveOff(I);
    } else if (Evaluates)
      P.evaluate();
    else if (Accumulates)
      P.accumulate(I);
    else
      P.train(I);
    if ((K == "validate" || K == "overwrite") && I % 10 == 9)
      P.Sum += P.validate();
    if (K == "crashed" && I == P.N - 1)
      std::abort();
    if (K == "killed" && I == P.N - 1)
      std::raise(SIGKILL);
  }
  std::cout << K << " " << P.Sum << " " << P.Kept.size() << "\n";
}
