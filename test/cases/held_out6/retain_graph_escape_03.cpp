// The loss is kept for a plot at the end; somebody added retain_graph so that "nothing gets lost".
#include <torch/torch.h>

#include <fstream>
#include <string>
#include <vector>

struct TranslatorImpl : torch::nn::Module {
  TranslatorImpl() {
    src = register_module("src", torch::nn::Embedding(8000, 96));
    block = register_module("block", torch::nn::TransformerEncoderLayer(
                                         torch::nn::TransformerEncoderLayerOptions(96, 4).dim_feedforward(192)));
    out = register_module("out", torch::nn::Linear(96, 8000));
  }
  torch::Tensor forward(torch::Tensor ids) { return out(block(src(ids))); }
  torch::nn::Embedding src{nullptr};
  torch::nn::TransformerEncoderLayer block{nullptr};
  torch::nn::Linear out{nullptr};
};
TORCH_MODULE(Translator);

struct Sentence {
  torch::Tensor source, target;
};

class Run {
 public:
  Run() : opt_(net_->parameters(), 1e-4) {}

  void train(const std::vector<Sentence>& corpus) {
    for (const auto& s : corpus) {
      opt_.zero_grad();
      auto logits = net_->forward(s.source);
      auto loss = torch::cross_entropy_loss(logits.flatten(0, 1), s.target.flatten());
      loss.backward({}, true);  // EXPECT: retain-graph
      opt_.step();
      curve_.push_back(loss);  // EXPECT: retained-graph
    }
  }

  void write_curve(const std::string& path) const {
    std::ofstream out(path);
    for (const auto& point : curve_) out << point.item<float>() << '\n';
  }

 private:
  Translator net_;
  torch::optim::Adam opt_;
  std::vector<torch::Tensor> curve_;
};

int main() {
  std::vector<Sentence> corpus;
  for (int i = 0; i < 500; ++i)
    corpus.push_back({torch::randint(0, 8000, {20, 8}, torch::kLong), torch::randint(0, 8000, {20, 8}, torch::kLong)});
  Run run;
  for (int e = 0; e < 4; ++e) run.train(corpus);
  run.write_curve("curve.txt");
}
