#include <torch/torch.h>
#include <thread>
#include <vector>

using torch::Tensor;
struct Batch {
  Tensor x, y;
};
using Batches = std::vector<Batch>;
struct Net : torch::nn::Module {
  torch::nn::Linear l{nullptr};
  Net() { l = register_module("l", torch::nn::Linear(64, 8)); }
  Tensor forward(Tensor x) { return torch::relu(l->forward(x)); }
};

class Pool {
 public:
  Pool(Net& net, const Batches& data) {
    torch::NoGradGuard not_for_the_threads;
    for (int i = 0; i < 4; ++i)
      threads_.push_back(std::thread([&net, &data, i, this] {
        for (size_t j = i; j < data.size(); j += 4)
          sums_[i] += net.forward(data[j].x).sum().item<float>();  // EXPECT: missing-no-grad
      }));
  }
  float wait() {
    for (auto& t : threads_) t.join();
    return sums_[0] + sums_[1] + sums_[2] + sums_[3];
  }

 private:
  std::vector<std::thread> threads_;
  float sums_[4] = {};
};
