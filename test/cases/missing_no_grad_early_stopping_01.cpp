#include <torch/torch.h>
#include <limits>
#include <vector>

using torch::Tensor;
using Set = std::vector<std::pair<Tensor, Tensor>>;

class Fitter {
 public:
  explicit Fitter(torch::nn::Linear net) : net_(net), opt_(net->parameters(), 1e-3) {}

  int fit(const Set& train, const Set& validation, int patience) {
    double best = std::numeric_limits<double>::max();
    int waited = 0, epoch = 0;
    while (waited < patience) {
      ++epoch;
      for (const auto& [x, y] : train) {
        opt_.zero_grad();
        criterion_(net_(x), y).backward();
        opt_.step();
      }
      const double now = mean_loss(validation);
      if (now < best) {
        best = now;
        waited = 0;
      } else {
        ++waited;
      }
    }
    return epoch;
  }

 private:
  double mean_loss(const Set& set) {
    double sum = 0;
    for (const auto& [x, y] : set) sum += criterion_(net_(x), y).item<double>();  // EXPECT: missing-no-grad
    return sum / set.size();
  }

  torch::nn::Linear net_;
  torch::optim::Adam opt_;
  torch::nn::MSELoss criterion_;
};
