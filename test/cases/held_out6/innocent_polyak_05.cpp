// Mean-teacher training: the teacher follows by Polyak averaging, its output is cut off at once.
#include <torch/torch.h>

#include <memory>

struct BackboneImpl : torch::nn::Module {
  BackboneImpl() {
    body = register_module("body", torch::nn::Sequential(torch::nn::Linear(50, 100), torch::nn::BatchNorm1d(100),
                                                         torch::nn::ReLU(), torch::nn::Linear(100, 10)));
  }
  torch::Tensor forward(torch::Tensor x) { return body->forward(x); }
  torch::nn::Sequential body{nullptr};
};
TORCH_MODULE(Backbone);

class MeanTeacher {
 public:
  MeanTeacher() : opt_(student_->parameters(), torch::optim::SGDOptions(0.03).momentum(0.9)) {
    for (auto& p : teacher_->parameters()) p.requires_grad_(false);
    follow(0.0);
  }

  float step(const torch::Tensor& labelled, const torch::Tensor& label, const torch::Tensor& unlabelled) {
    auto noisy = unlabelled + 0.1 * torch::randn_like(unlabelled);
    auto supervised = torch::cross_entropy_loss(student_->forward(labelled), label);
    auto agree = torch::mse_loss(torch::softmax(student_->forward(noisy), 1),
                                 torch::softmax(teacher_->forward(unlabelled), 1).detach());
    auto loss = supervised + weight_ * agree;
    opt_.zero_grad();
    loss.backward();
    opt_.step();
    follow(0.99);
    weight_ = std::min(1.0, weight_ + 1e-3);
    return loss.item<float>();
  }

 private:
  void follow(double keep) {
    torch::NoGradGuard off;
    auto s = student_->named_parameters();
    for (auto& p : teacher_->named_parameters()) p.value().mul_(keep).add_(s[p.key()], 1.0 - keep);
    auto sb = student_->named_buffers();
    for (auto& b : teacher_->named_buffers()) b.value().copy_(sb[b.key()]);
  }

  Backbone student_, teacher_;
  torch::optim::SGD opt_;
  double weight_ = 0;
};

int main() {
  MeanTeacher mt;
  for (int i = 0; i < 3000; ++i)
    mt.step(torch::randn({16, 50}), torch::randint(0, 10, {16}, torch::kLong), torch::randn({64, 50}));
}
