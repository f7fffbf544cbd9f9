// Feature-matching distillation: the target of the loss is the teacher's live output.
#include <torch/torch.h>

#include <iostream>
#include <memory>

struct BlockNet : torch::nn::Module {
  BlockNet(int64_t width, int64_t depth) {
    seq = register_module("seq", torch::nn::Sequential());
    int64_t in = 32;
    for (int64_t i = 0; i < depth; ++i) {
      seq->push_back(torch::nn::Linear(in, width));
      seq->push_back(torch::nn::ReLU());
      in = width;
    }
    seq->push_back(torch::nn::Linear(in, 10));
  }
  torch::Tensor forward(torch::Tensor x) { return seq->forward(x); }
  torch::nn::Sequential seq{nullptr};
};

void distil(const std::shared_ptr<BlockNet>& teacher, const std::shared_ptr<BlockNet>& student, int steps) {
  torch::optim::Adam opt(student->parameters(), torch::optim::AdamOptions(1e-3));
  teacher->eval();
  student->train();
  for (int i = 0; i < steps; ++i) {
    auto x = torch::randn({256, 32});
    auto wanted = teacher->forward(x);
    auto got = student->forward(x);
    auto loss = (got - wanted).pow(2).mean();
    opt.zero_grad();
    loss.backward();  // OPTIONAL: unowned-gradients
    opt.step();
    if (i % 100 == 0) std::cout << i << " " << loss.item<float>() << "\n";
  }
}

int main() {
  auto teacher = std::make_shared<BlockNet>(512, 6), student = std::make_shared<BlockNet>(64, 2);
  torch::load(teacher, "teacher.pt");
  distil(teacher, student, 10000);
}
