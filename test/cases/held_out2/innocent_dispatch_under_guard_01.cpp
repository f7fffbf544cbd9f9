#include <torch/script.h>
#include <torch/torch.h>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

// The guard stands in the dispatcher: handlers need none of their own.
class Service {
 public:
  Service(const std::string& file, torch::nn::Linear reranker) : module_(torch::jit::load(file)), reranker_(reranker) {
    table_.emplace("embed", [this](torch::Tensor x) { return embed(x); });
    table_.emplace("rank", [this](torch::Tensor x) { return reranker_(embed(x)).squeeze(-1); });
  }

  std::vector<float> serve(const std::string& name, torch::Tensor x) {
    c10::InferenceMode guard;
    auto handler = table_.find(name);
    if (handler == table_.end()) throw std::out_of_range(name);
    return to_vector(handler->second(x));
  }

  std::thread in_background(std::string name, torch::Tensor x) {
    return std::thread([this, name, x] { last_ = serve(name, x); });
  }

 private:
  torch::Tensor embed(torch::Tensor x) { return module_.forward({x}).toTensor(); }
  static std::vector<float> to_vector(const torch::Tensor& t) {
    auto flat = t.contiguous().view(-1);
    return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
  }

  torch::jit::Module module_;
  torch::nn::Linear reranker_;
  std::map<std::string, std::function<torch::Tensor(torch::Tensor)>> table_;
  std::vector<float> last_;
};
