// Writes the class of every picture in a folder listing to a report.
#include <torch/torch.h>

#include <fstream>
#include <string>
#include <vector>

struct TinyNetImpl : torch::nn::Module {
  TinyNetImpl() {
    conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 24, 5).stride(2)));
    deep = register_module("deep", torch::nn::Conv2d(torch::nn::Conv2dOptions(24, 48, 3).stride(2)));
    head = register_module("head", torch::nn::Linear(48, 20));
  }
  torch::Tensor forward(torch::Tensor x) {
    return head(torch::relu(deep(torch::relu(conv(x)))).mean({2, 3}));
  }
  torch::nn::Conv2d conv{nullptr}, deep{nullptr};
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(TinyNet);

struct Picture {
  std::string name;
  torch::Tensor pixels;
};

void write_report(TinyNet& net, const std::vector<Picture>& pictures, const std::string& path) {
  std::ofstream out(path);
  net->eval();
  torch::Tensor scores;
  for (const auto& p : pictures) {
    scores = net->forward(p.pixels.unsqueeze(0));  // OPTIONAL: stale-output  // EXPECT: missing-no-grad
    out << p.name << '\t' << scores.argmax(1).item<int64_t>() << '\t' << scores.max().item<float>() << '\n';
  }
}

int main() {
  std::vector<Picture> pictures;
  for (int i = 0; i < 500; ++i) pictures.push_back({"p" + std::to_string(i), torch::rand({3, 256, 256})});
  TinyNet net;
  torch::load(net, "tiny.pt");
  write_report(net, pictures, "report.tsv");
}
