// Online adaptation inside a serving loop: AutoGradMode(true) cannot undo InferenceMode.
#include <torch/torch.h>

#include <iostream>
#include <vector>

struct Request {
  torch::Tensor input;
  torch::Tensor feedback;
};

struct AdaptiveNetImpl : torch::nn::Module {
  AdaptiveNetImpl() {
    base = register_module("base", torch::nn::Linear(20, 40));
    head = register_module("head", torch::nn::Linear(40, 1));
  }
  torch::Tensor forward(torch::Tensor x) { return head(torch::gelu(base(x))); }
  torch::nn::Linear base{nullptr}, head{nullptr};
};
TORCH_MODULE(AdaptiveNet);

class Service {
 public:
  Service() : opt_(net_->parameters(), 1e-3) {}

  std::vector<float> answer_all(const std::vector<Request>& requests) {
    c10::InferenceMode serving;  // EXPECT: no-grad-in-training
    std::vector<float> answers;
    for (const auto& r : requests) {
      answers.push_back(net_->forward(r.input).item<float>());
      if (r.feedback.defined()) {
        torch::AutoGradMode recording(true);  // ALSO: no-grad-in-training
        opt_.zero_grad();
        auto loss = torch::mse_loss(net_->forward(r.input), r.feedback);
        loss.backward();  // ALSO: no-grad-in-training
        opt_.step();
      }
    }
    return answers;
  }

 private:
  AdaptiveNet net_;
  torch::optim::Adam opt_;
};

int main() {
  Service service;
  for (int hour = 0; hour < 24; ++hour) {
    std::vector<Request> requests;
    for (int i = 0; i < 100; ++i) {
      Request r;
      r.input = torch::randn({1, 20});
      if (i % 10 == 0) r.feedback = torch::randn({1, 1});
      requests.push_back(r);
    }
    std::cout << service.answer_all(requests).size() << "\n";
  }
}
