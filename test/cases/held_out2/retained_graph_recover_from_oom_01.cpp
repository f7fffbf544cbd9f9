#include <torch/torch.h>
#include <cstdio>
#include <vector>

// Halves the batch when memory runs out, and keeps going.
float train_epoch(torch::nn::Sequential model, torch::optim::Optimizer& optim, torch::Tensor images, torch::Tensor labels) {
  int64_t batch = 256;
  int64_t at = 0;
  std::vector<torch::Tensor> all;
  while (at < images.size(0)) {
    const int64_t n = std::min(batch, images.size(0) - at);
    try {
      optim.zero_grad();
      auto logits = model->forward(images.narrow(0, at, n));
      auto loss = torch::nn::functional::cross_entropy(logits, labels.narrow(0, at, n));
      loss.backward();
      optim.step();
      all.push_back(loss);  // EXPECT: retained-graph
      at += n;
    } catch (const c10::Error& error) {
      if (batch == 1) throw;
      std::fprintf(stderr, "batch %ld is too large\n", static_cast<long>(batch));
      batch /= 2;
    }
  }
  return torch::stack(all).mean().item<float>();
}
