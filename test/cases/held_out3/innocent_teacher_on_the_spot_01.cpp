#include <torch/torch.h>
#include <functional>
#include <future>
#include <vector>

// Self-distillation with pseudo labels; whatever the teacher says is made under
// a guard, wherever that runs.
struct Student : torch::nn::Module {
  Student() { net = register_module("net", torch::nn::Sequential(torch::nn::Linear(8, 24), torch::nn::ReLU(), torch::nn::Linear(24, 4))); }
  torch::Tensor forward(torch::Tensor x) { return net->forward(x); }
  torch::nn::Sequential net{nullptr};
};

torch::Tensor guarded(const std::function<torch::Tensor()>& compute) {
  torch::NoGradGuard guard;
  return compute();
}

void train(Student& student, Student& teacher, const std::vector<torch::Tensor>& unlabelled) {
  torch::optim::Adam opt(student.parameters());
  std::vector<torch::Tensor> labels;
  for (const auto& x : unlabelled) {
    const auto soft = [&] {
      torch::NoGradGuard guard;
      return teacher.forward(x).softmax(1);
    }();
    labels.push_back(soft.argmax(1));
    auto ahead = std::async(std::launch::async, [&teacher, x] {
      torch::NoGradGuard guard;
      return teacher.forward(x + 0.1 * torch::randn_like(x)).log_softmax(1);
    });
    auto again = guarded([&] { return teacher.forward(x * 0.9).softmax(1); });
    auto out = student.forward(x).log_softmax(1);
    auto loss = torch::kl_div(out, (soft + again) / 2) + (out - ahead.get()).pow(2).mean();
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}
