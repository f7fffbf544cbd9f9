#include <torch/torch.h>
#include <numeric>
#include <vector>

// A batch that does not fit is worked off shard by shard.
static double accumulate_gradients(torch::nn::Sequential& unet, const torch::Tensor& images, const torch::Tensor& masks, int64_t shard) {
  double sum = 0;
  int64_t begin = 0;
  do {
    const auto n = std::min(shard, images.size(0) - begin);
    auto out = unet->forward(images.narrow(0, begin, n));
    auto loss = torch::binary_cross_entropy_with_logits(out, masks.narrow(0, begin, n));
    sum += loss.item<double>() * n;
    loss.backward();  // EXPECT: unscaled-accumulation
    begin += n;
  } while (begin < images.size(0));
  return sum / images.size(0);
}

double fit(torch::nn::Sequential& unet, const std::vector<torch::Tensor>& images, const std::vector<torch::Tensor>& masks) {
  torch::optim::SGD sgd(unet->parameters(), torch::optim::SGDOptions(0.1).momentum(0.99));
  std::vector<double> losses;
  for (size_t b = 0; b < images.size(); ++b) {
    unet->zero_grad();
    losses.push_back(accumulate_gradients(unet, images[b], masks[b], 2));
    sgd.step();
  }
  return std::accumulate(losses.begin(), losses.end(), 0.0) / losses.size();
}
