#include <torch/script.h>
#include <torch/torch.h>
#include <iostream>
#include <unordered_map>

struct Hit {
  int64_t id;
  float score;
};

class FaceIndex {
 public:
  FaceIndex(const std::string& model, torch::Tensor gallery)
      : embedder_(torch::jit::load(model)), gallery_(torch::nn::functional::normalize(gallery)) {
    embedder_.eval();
  }

  std::vector<Hit> query(const torch::Tensor& crop, int64_t k) {
    auto e = embedder_({crop}).toTensor();  // EXPECT: missing-no-grad
    auto similarity = torch::mm(torch::nn::functional::normalize(e), gallery_.t());
    auto [scores, ids] = similarity.topk(k, 1);
    std::vector<Hit> hits;
    for (int64_t i = 0; i < k; ++i) hits.push_back({ids[0][i].item<int64_t>(), scores[0][i].item<float>()});
    return hits;
  }

 private:
  torch::jit::script::Module embedder_;
  torch::Tensor gallery_;
};

int main() {
  FaceIndex index("arcface.pt", torch::rand({5000, 512}));
  for (const Hit& h : index.query(torch::rand({1, 3, 112, 112}), 5)) std::cout << h.id << ' ' << h.score << '\n';
}
