#include <torch/torch.h>
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(16, 4)); }
  Tensor forward(Tensor x) { return f(x); }
};

struct Report {
  std::vector<std::vector<float>> rows;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<std::string> lines;
  std::vector<double> losses;
  double smoothed = 0;
};

Report train(Net& net, torch::optim::Optimizer& opt, const std::vector<std::pair<Tensor, Tensor>>& data) {
  Report report;
  for (const auto& [x, y] : data) {
    opt.zero_grad();
    auto out = net.forward(x);
    auto loss = torch::mse_loss(out, y);
    loss.backward();
    opt.step();
    report.rows.emplace_back(out.data_ptr<float>(), out.data_ptr<float>() + out.numel());
    report.shapes.push_back(out.sizes().vec());
    report.lines.push_back("loss " + std::to_string(loss.item<float>()));
    report.losses.push_back(*loss.data_ptr<float>());
    report.smoothed = 0.9 * report.smoothed + 0.1 * loss.item<double>();
    const auto view = out.accessor<float, 2>();
    report.losses.push_back(view[0][0]);
  }
  report.smoothed += std::accumulate(report.losses.begin(), report.losses.end(), 0.0);
  return report;
}
