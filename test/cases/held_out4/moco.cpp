#include <torch/torch.h>
#include <iostream>

struct EncoderImpl : torch::nn::Module {
  EncoderImpl() {
    c1 = register_module("c1", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 32, 3).stride(2)));
    c2 = register_module("c2", torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 64, 3).stride(2)));
    fc = register_module("fc", torch::nn::Linear(64, 128));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(c2(torch::relu(c1(x)))).mean({2, 3});
    return torch::nn::functional::normalize(fc(x), torch::nn::functional::NormalizeFuncOptions().dim(1));
  }
  torch::nn::Conv2d c1{nullptr}, c2{nullptr};
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Encoder);

struct MoCoImpl : torch::nn::Module {
  explicit MoCoImpl(int64_t k, double m) : momentum(m) {
    q = register_module("q", Encoder());
    key = register_module("key", Encoder());
    auto a = q->parameters(), b = key->parameters();
    for (size_t i = 0; i < a.size(); ++i) {
      b[i].data().copy_(a[i].data());
      b[i].set_requires_grad(false);
    }
    queue = register_buffer("queue", torch::nn::functional::normalize(torch::randn({128, k}),
                                         torch::nn::functional::NormalizeFuncOptions().dim(0)));
  }
  void momentum_update() {
    auto a = q->parameters(), b = key->parameters();
    for (size_t i = 0; i < a.size(); ++i) b[i].data().mul_(momentum).add_(a[i].data(), 1 - momentum);
  }
  void enqueue(const torch::Tensor& keys) {
    auto n = keys.size(0);
    queue.slice(1, ptr, ptr + n).copy_(keys.t());
    ptr = (ptr + n) % queue.size(1);
  }
  torch::Tensor forward(torch::Tensor im_q, torch::Tensor im_k) {
    auto fq = q->forward(im_q);
    torch::Tensor fk;
    {
      torch::NoGradGuard no_grad;
      momentum_update();
      fk = key->forward(im_k);
    }
    auto pos = torch::einsum("nc,nc->n", {fq, fk}).unsqueeze(-1);
    auto neg = torch::einsum("nc,ck->nk", {fq, queue.clone().detach()});
    auto logits = torch::cat({pos, neg}, 1) / 0.07;
    enqueue(fk);
    return logits;
  }
  double momentum;
  Encoder q{nullptr}, key{nullptr};
  torch::Tensor queue;
  int64_t ptr = 0;
};
TORCH_MODULE(MoCo);

static torch::Tensor augment(const torch::Tensor& x) {
  auto y = torch::rand({1}).item<float>() < 0.5 ? x.flip(3) : x;
  return y + 0.1 * torch::randn_like(y);
}

int main() {
  MoCo model(4096, 0.999);
  torch::optim::SGD opt(model->q->parameters(), torch::optim::SGDOptions(0.03).momentum(0.9).weight_decay(1e-4));
  model->train();
  for (int step = 0; step < 5000; ++step) {
    auto images = torch::rand({64, 3, 32, 32});
    auto logits = model->forward(augment(images), augment(images));
    auto loss = torch::nn::functional::cross_entropy(logits, torch::zeros({64}, torch::kLong));
    opt.zero_grad();
    loss.backward();
    opt.step();
    if (step % 50 == 0) std::cout << step << " " << loss.item<float>() << "\n";
  }
}
