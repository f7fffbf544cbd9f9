#include <torch/torch.h>
#include <deque>
#include <unordered_map>
#include <vector>

using torch::Tensor;

struct Frame {
  Tensor image;
  double time;
};

class Dataset : public torch::data::datasets::Dataset<Dataset> {
 public:
  explicit Dataset(int n) {
    for (int i = 0; i < n; ++i) {
      auto x = torch::rand({3, 8, 8});
      images_.push_back((x - 0.5) / 0.25);
      labels_.emplace_back(torch::tensor(i % 10));
      by_label_[i % 10].push_back(images_.back());
      mean_ = mean_ + images_.back() / n;
    }
  }
  torch::data::Example<> get(size_t i) override { return {images_[i] - mean_, labels_[i]}; }
  c10::optional<size_t> size() const override { return images_.size(); }

 private:
  std::vector<Tensor> images_, labels_;
  std::unordered_map<int, std::vector<Tensor>> by_label_;
  Tensor mean_ = torch::zeros({3, 8, 8});
};

Tensor panorama(const std::vector<Frame>& frames) {
  auto canvas = torch::zeros({3, 64, 64});
  std::vector<Tensor> resized;
  for (size_t i = 0; i < frames.size(); ++i) {
    auto small = torch::upsample_bilinear2d(frames[i].image.unsqueeze(0), {8, 8}, false)[0];
    resized.push_back(small);
    canvas.slice(2, 8 * i, 8 * i + 8).slice(1, 0, 8).copy_(small);
  }
  return canvas + torch::stack(resized).mean();
}
