#include <torch/torch.h>
#include <map>
#include <vector>

using torch::Tensor;

struct Client {
  torch::nn::Linear model{10, 2};
  std::vector<std::pair<Tensor, Tensor>> data;
};

// Federated averaging with a loss history per client and round.
class Federation {
 public:
  explicit Federation(std::vector<Client> clients) : clients_(std::move(clients)) {}

  void round(int number) {
    for (size_t c = 0; c < clients_.size(); ++c) {
      auto& client = clients_[c];
      torch::optim::SGD sgd(client.model->parameters(), 0.1);
      for (const auto& [x, y] : client.data) {
        sgd.zero_grad();
        auto loss = torch::cross_entropy_loss(client.model->forward(x), y);
        loss.backward();
        sgd.step();
        history_[number][c].push_back(loss);  // EXPECT: retained-graph
      }
    }
  }

  float first(int number, size_t client) { return history_[number][client].front().item<float>(); }

 private:
  std::vector<Client> clients_;
  std::map<int, std::map<size_t, std::vector<Tensor>>> history_;
};

int main() {
  Federation f(std::vector<Client>(3));
  for (int r = 0; r < 100; ++r) f.round(r);
}
