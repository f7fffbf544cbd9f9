#include <torch/torch.h>
#include <iostream>

constexpr int64_t kNoise = 100;

struct GeneratorImpl : torch::nn::Module {
  GeneratorImpl(int64_t noise)
      : conv1(torch::nn::ConvTranspose2dOptions(noise, 256, 4).bias(false)), bn1(256),
        conv2(torch::nn::ConvTranspose2dOptions(256, 128, 3).stride(2).padding(1).bias(false)), bn2(128),
        conv3(torch::nn::ConvTranspose2dOptions(128, 1, 4).stride(2).padding(1).bias(false)) {
    register_module("conv1", conv1);
    register_module("bn1", bn1);
    register_module("conv2", conv2);
    register_module("bn2", bn2);
    register_module("conv3", conv3);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(bn1(conv1(x)));
    x = torch::relu(bn2(conv2(x)));
    return torch::tanh(conv3(x));
  }
  torch::nn::ConvTranspose2d conv1;
  torch::nn::BatchNorm2d bn1;
  torch::nn::ConvTranspose2d conv2;
  torch::nn::BatchNorm2d bn2;
  torch::nn::ConvTranspose2d conv3;
};
TORCH_MODULE(Generator);

static torch::nn::Sequential make_discriminator() {
  return torch::nn::Sequential(
      torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 64, 4).stride(2).padding(1)),
      torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.2)),
      torch::nn::Conv2d(torch::nn::Conv2dOptions(64, 1, 3)), torch::nn::Sigmoid());
}

static void clear(torch::nn::Sequential& net) { net->zero_grad(); }

int main() {
  Generator generator(kNoise);
  auto discriminator = make_discriminator();
  torch::optim::Adam g_opt(generator->parameters(), torch::optim::AdamOptions(2e-4).betas(std::make_tuple(0.5, 0.999)));
  torch::optim::Adam d_opt(discriminator->parameters(), torch::optim::AdamOptions(2e-4).betas(std::make_tuple(0.5, 0.999)));
  auto set = torch::data::datasets::MNIST("./mnist").map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader(std::move(set), torch::data::DataLoaderOptions().batch_size(64).workers(2));
  auto fixed = torch::randn({16, kNoise, 1, 1});
  for (int epoch = 1; epoch <= 20; ++epoch) {
    int64_t i = 0;
    for (torch::data::Example<>& batch : *loader) {
      clear(discriminator);
      auto real = batch.data;
      auto real_out = discriminator->forward(real);
      auto d_real = torch::binary_cross_entropy(real_out, torch::empty_like(real_out).uniform_(0.8, 1.0));
      d_real.backward();
      auto noise = torch::randn({real.size(0), kNoise, 1, 1});
      auto fake = generator->forward(noise);
      auto fake_out = discriminator->forward(fake.detach());
      auto d_fake = torch::binary_cross_entropy(fake_out, torch::zeros_like(fake_out));
      d_fake.backward();
      auto d_loss = d_real + d_fake;
      d_opt.step();

      generator->zero_grad();
      auto judged = discriminator->forward(fake);
      auto g_loss = torch::binary_cross_entropy(judged, torch::ones_like(judged));
      g_loss.backward();
      g_opt.step();
      if (i++ % 100 == 0)
        std::cout << epoch << " D " << d_loss.item<float>() << " G " << g_loss.item<float>() << "\n";
    }
    {
      torch::NoGradGuard no_grad;
      generator->eval();
      torch::save((generator->forward(fixed) + 1) / 2, "sample-" + std::to_string(epoch) + ".pt");
      generator->train();
    }
  }
}
