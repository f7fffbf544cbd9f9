#include <torch/torch.h>
#include <iostream>

struct VAEOutput {
  torch::Tensor recon, mu, log_var;
};

class VAEImpl : public torch::nn::Module {
 public:
  VAEImpl(int64_t image, int64_t h, int64_t z) : fc1(image, h), fc2(h, z), fc3(h, z), fc4(z, h), fc5(h, image) {
    register_module("fc1", fc1);
    register_module("fc2", fc2);
    register_module("fc3", fc3);
    register_module("fc4", fc4);
    register_module("fc5", fc5);
  }
  torch::Tensor decode(torch::Tensor z) { return torch::sigmoid(fc5->forward(torch::relu(fc4->forward(z)))); }
  VAEOutput forward(torch::Tensor x) {
    auto h = torch::relu(fc1->forward(x));
    auto mu = fc2->forward(h), lv = fc3->forward(h);
    return {decode(reparameterize(mu, lv)), mu, lv};
  }

 private:
  torch::Tensor reparameterize(torch::Tensor mu, torch::Tensor lv) {
    if (!is_training()) return mu;
    auto std = lv.div(2).exp_();
    return torch::randn_like(std).mul(std).add_(mu);
  }
  torch::nn::Linear fc1, fc2, fc3, fc4, fc5;
};
TORCH_MODULE(VAE);

static torch::Tensor elbo(const VAEOutput& o, const torch::Tensor& x) {
  auto rec = torch::nn::functional::binary_cross_entropy(
      o.recon, x, torch::nn::functional::BinaryCrossEntropyFuncOptions().reduction(torch::kSum));
  auto kl = -0.5 * torch::sum(1 + o.log_var - o.mu.pow(2) - o.log_var.exp());
  return rec + kl;
}

int main() {
  auto device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  auto train = torch::data::datasets::MNIST("mnist").map(torch::data::transforms::Stack<>());
  auto test = torch::data::datasets::MNIST("mnist", torch::data::datasets::MNIST::Mode::kTest).map(torch::data::transforms::Stack<>());
  auto n_train = train.size().value();
  auto n_test = test.size().value();
  auto tl = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(std::move(train), 100);
  auto vl = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(std::move(test), 100);
  VAE model(784, 400, 20);
  model->to(device);
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(1e-3));
  for (size_t epoch = 0; epoch < 15; ++epoch) {
    model->train();
    double total = 0;
    for (auto& batch : *tl) {
      auto x = batch.data.reshape({-1, 784}).to(device);
      auto out = model->forward(x);
      auto loss = elbo(out, x);
      loss.backward();
      optimizer.step();
      optimizer.zero_grad();
      total += loss.item<double>();
    }
    model->eval();
    double val = 0;
    const bool before = torch::GradMode::is_enabled();
    torch::GradMode::set_enabled(false);
    for (auto& batch : *vl) {
      auto x = batch.data.reshape({-1, 784}).to(device);
      val += elbo(model->forward(x), x).item<double>();
    }
    auto sample = model->decode(torch::randn({64, 20}, device));
    torch::GradMode::set_enabled(before);
    torch::save(sample.view({-1, 1, 28, 28}).cpu(), "sample.pt");
    std::cout << epoch << " " << total / n_train << " " << val / n_test << "\n";
  }
}
