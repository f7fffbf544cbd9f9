#include <torch/torch.h>
#include <iostream>
#include <string>

struct UNetBlockImpl : torch::nn::Module {
  UNetBlockImpl(int64_t in, int64_t out) : conv(torch::nn::Conv2dOptions(in, out, 3).padding(1)), bn(out) {
    register_module("conv", conv);
    register_module("bn", bn);
  }
  torch::Tensor forward(const torch::Tensor& x) { return torch::relu(bn(conv(x))); }
  torch::nn::Conv2d conv;
  torch::nn::BatchNorm2d bn;
};
TORCH_MODULE(UNetBlock);

// Continues training from the weights of another run.
void finetune(const std::string& checkpoint, int epochs) {
  auto net = torch::nn::Sequential(UNetBlock(3, 32), UNetBlock(32, 32),
                                   torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 1, 1)));
  auto donor = torch::nn::Sequential(UNetBlock(3, 32), UNetBlock(32, 32),
                                     torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 1, 1)));
  torch::load(donor, checkpoint);

  torch::NoGradGuard no_grad;  // copy_ into leaves must not be recorded
  auto source = donor->named_parameters();
  for (auto& item : net->named_parameters()) {
    if (auto* value = source.find(item.key())) item.value().copy_(*value);
  }

  torch::optim::Adam opt(net->parameters(), torch::optim::AdamOptions(1e-4));
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (int i = 0; i < 200; ++i) {
      auto image = torch::rand({4, 3, 96, 96});
      auto mask = image.mean(1, true).gt(0.5).to(torch::kFloat32);
      opt.zero_grad();
      auto loss = torch::binary_cross_entropy_with_logits(net->forward(image), mask);
      loss.backward();
      opt.step();
    }
    torch::save(net, "finetuned.pt");
  }
}

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  finetune(argv[1], 10);
}
