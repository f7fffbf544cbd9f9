// Truncated BPTT by hand: a GRU cell runs over a stream, one update per window of steps.
#include <torch/torch.h>

#include <cstdio>
#include <vector>

struct Forecaster : torch::nn::Module {
  explicit Forecaster(int64_t channels) {
    cell = register_module("cell", torch::nn::GRUCell(channels, 48));
    read = register_module("read", torch::nn::Linear(48, channels));
  }
  torch::nn::GRUCell cell{nullptr};
  torch::nn::Linear read{nullptr};
};

void train_stream(Forecaster& net, const std::vector<torch::Tensor>& stream, size_t window) {
  torch::optim::RMSprop opt(net.parameters(), torch::optim::RMSpropOptions(1e-3));
  torch::Tensor h = torch::zeros({stream.front().size(0), 48});
  for (size_t start = 0; start + window < stream.size(); start += window) {
    torch::Tensor loss = torch::zeros({});
    for (size_t t = start; t < start + window; ++t) {
      h = net.cell->forward(stream[t], h);  // EXPECT: undetached-state
      loss = loss + torch::mse_loss(net.read->forward(h), stream[t + 1]);
    }
    loss = loss / static_cast<double>(window);
    opt.zero_grad();
    loss.backward({}, /*retain_graph=*/true);  // OPTIONAL: retain-graph
    opt.step();
    std::printf("%zu %.5f\n", start, loss.item<double>());
  }
}

int main() {
  std::vector<torch::Tensor> stream;
  for (int t = 0; t < 5000; ++t) stream.push_back(torch::sin(torch::arange(12).reshape({4, 3}) + 0.1 * t));
  Forecaster net(3);
  train_stream(net, stream, 25);
}
