#include <torch/script.h>
#include <torch/torch.h>
#include <iostream>
#include <memory>
#include <string>

class Model {
 public:
  virtual ~Model() = default;
  virtual torch::Tensor run(const torch::Tensor& x) = 0;
};

class NativeModel : public Model {
 public:
  NativeModel() : net_(torch::nn::Linear(6, 6), torch::nn::Sigmoid()) { net_->eval(); }
  torch::Tensor run(const torch::Tensor& x) override { return net_->forward(x); }  // EXPECT: missing-no-grad

 private:
  torch::nn::Sequential net_;
};

class ScriptModel : public Model {
 public:
  explicit ScriptModel(const std::string& path) : module_(torch::jit::load(path)) {}
  torch::Tensor run(const torch::Tensor& x) override {
    torch::InferenceMode guard;
    return module_.forward({x}).toTensor();
  }

 private:
  torch::jit::Module module_;
};

int main(int argc, char** argv) {
  std::unique_ptr<Model> model;
  if (argc > 1)
    model = std::make_unique<ScriptModel>(argv[1]);
  else
    model = std::make_unique<NativeModel>();
  int64_t ones = 0;
  for (int i = 0; i < 100; ++i) ones += model->run(torch::rand({1, 6})).round().sum().item<int64_t>();
  std::cout << ones << '\n';
}
