#include <torch/script.h>
#include <iostream>
#include <map>
#include <string>
#include <vector>

// Everything that comes out of the module is stored, under a guard.
class BatchRunner {
 public:
  explicit BatchRunner(const std::string& path) : module_(torch::jit::load(path)) { module_.eval(); }

  void run(const std::vector<at::Tensor>& images) {
    torch::NoGradGuard no_grad;
    for (size_t i = 0; i < images.size(); ++i) {
      std::vector<torch::jit::IValue> inputs{images[i]};
      auto out = module_.forward(inputs);
      raw_.push_back(out);
      if (out.isTensor()) tensors_.push_back(out.toTensor());
      named_.insert("image" + std::to_string(i), out);
    }
  }

  size_t size() const { return raw_.size() + named_.size() + tensors_.size(); }

 private:
  torch::jit::Module module_;
  std::vector<c10::IValue> raw_;
  c10::List<at::Tensor> tensors_;
  c10::impl::GenericDict named_{c10::StringType::get(), c10::AnyType::get()};
};

int main(int argc, char** argv) {
  BatchRunner runner(argv[1]);
  runner.run(std::vector<at::Tensor>(argc, torch::rand({1, 3, 8, 8})));
  std::cout << runner.size() << '\n';
}
