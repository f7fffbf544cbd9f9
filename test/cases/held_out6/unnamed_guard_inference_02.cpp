// A recommender's nightly job: embeddings of all articles, then their nearest neighbours.
#include <torch/torch.h>

#include <fstream>
#include <iostream>
#include <vector>

struct ArticleNetImpl : torch::nn::Module {
  ArticleNetImpl() {
    bag = register_module("bag", torch::nn::EmbeddingBag(torch::nn::EmbeddingBagOptions(30000, 128)));
    out = register_module("out", torch::nn::Linear(128, 64));
  }
  torch::Tensor forward(torch::Tensor ids) { return out(torch::relu(bag(ids))); }
  torch::nn::EmbeddingBag bag{nullptr};
  torch::nn::Linear out{nullptr};
};
TORCH_MODULE(ArticleNet);

class NightlyJob {
 public:
  explicit NightlyJob(const char* weights) {
    torch::load(net_, weights);
    net_->eval();
  }

  void neighbours(const std::vector<torch::Tensor>& pages, std::ostream& out) {
    c10::InferenceMode(true);  // EXPECT: unnamed-guard
    for (const auto& ids : pages) {
      auto e = net_->forward(ids);  // OPTIONAL: missing-no-grad
      auto closest = std::get<1>(torch::cdist(e, e).topk(6, 1, /*largest=*/false));
      for (int64_t r = 0; r < closest.size(0); ++r) {
        for (int64_t k = 1; k < closest.size(1); ++k) out << closest[r][k].item<int64_t>() << ' ';
        out << '\n';
      }
    }
  }

 private:
  ArticleNet net_;
};

int main() {
  std::vector<torch::Tensor> pages;
  for (int i = 0; i < 40; ++i) pages.push_back(torch::randint(0, 30000, {256, 80}, torch::kLong));
  NightlyJob job("article.pt");
  std::ofstream out("neighbours.txt");
  job.neighbours(pages, out);
  std::cout << "done\n";
}
