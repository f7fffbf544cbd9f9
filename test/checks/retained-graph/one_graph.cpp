// RUN: %check %s torch-retained-graph
// Parts of one graph: nothing grows from round to round.
#include <torch/torch.h>
using torch::Tensor;

static std::vector<Tensor> suppress(Tensor prediction) {
  std::vector<Tensor> output;
  for (int i = 0; i < prediction.size(0); i++) {
    auto rows = prediction[i];
    std::vector<Tensor> kept;
    for (int64_t m = 0; m < rows.size(0); m++)
      kept.push_back(rows[m]);
    output.push_back(torch::cat(kept, 0));
  }
  return output;
}
struct Detector {
  torch::nn::Linear net{4, 4};
  float ok_rows(Tensor image) {
    auto detections = suppress(net->forward(image));
    return detections[0].item<float>();
  }
};
struct Pipeline {
  torch::nn::Linear net{4, 4};
  Tensor detect(Tensor image) { return net->forward(image); }
  float ok_rows_of_a_helper(Tensor image) {
    auto raw = detect(image);
    auto detections = suppress(raw);
    return detections[0].item<float>();
  }
};
void ok_slices(torch::nn::Linear &net, Tensor x) {
  auto y = net->forward(x);
  std::vector<Tensor> rows;
  for (int i = 0; i < 100; ++i)
    rows.push_back(y[i]);
  puts(rows[0].item<float>() > 0 ? "yes" : "no");
}
// The list outlives the round that makes the graph.
void bad_slices(torch::nn::Linear &net, std::vector<Tensor> data) {
  std::vector<Tensor> rows;
  for (auto &x : data) {
    auto y = net->forward(x);
    for (int i = 0; i < 100; ++i)
      rows.push_back(y[i]);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
  puts(rows[0].item<float>() > 0 ? "yes" : "no");
}
void bad_rows(Detector &d, std::vector<Tensor> data) {
  std::vector<Tensor> all;
  for (auto &x : data)
    for (auto &row : suppress(d.net->forward(x)))
      all.push_back(row);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  puts(all[0].item<float>() > 0 ? "yes" : "no");
}

// A forward that is made of parts.
struct Segments : torch::nn::Module {
  torch::nn::Linear body{4, 4}, cell{4, 4}, critic{4, 1};
  std::vector<Tensor> ok_segments(Tensor x, std::vector<int> ends) {
    std::vector<Tensor> outputs;
    for (unsigned i = 0; i + 1 < ends.size(); ++i)
      outputs.push_back(cell(x.slice(0, ends[i], ends[i + 1])));
    return {torch::cat(outputs, 0).squeeze(0)};
  }
  std::vector<Tensor> forward(Tensor x) {
    x = ok_segments(body(x), {0, 2, 4})[0];
    return {critic->forward(x), x};
  }
  // Not what it returns.
  double bad_evaluation(std::vector<Tensor> data) {
    std::vector<Tensor> outputs;
    double sum = 0;
    for (auto &x : data) {
      outputs.push_back(cell(x));
      // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
      sum += outputs.back().item<double>();
    }
    return sum;
  }
};
int main() {
  Segments s;
  auto out = s.forward(torch::randn({4, 4}));
  return out[0].size(0) != 4;
}
