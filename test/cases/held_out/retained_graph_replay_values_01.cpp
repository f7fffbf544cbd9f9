#include <torch/torch.h>
#include <deque>
#include <vector>

using torch::Tensor;

struct Step {
  Tensor state;
  Tensor value;  // the critic's estimate when the step was taken
  float reward;
};

class Player {
 public:
  Player() : critic_(torch::nn::Linear(9, 32), torch::nn::Tanh(), torch::nn::Linear(32, 1)) {}

  float play(const Tensor& state, float reward) {
    auto value = critic_->forward(state);
    memory_.push_back(Step{state, value, reward});  // EXPECT: retained-graph
    return value.item<float>();
  }

  double surprise() const {
    double sum = 0;
    for (const auto& s : memory_) sum += std::abs(s.reward - s.value.item<float>());
    return sum / memory_.size();
  }

 private:
  torch::nn::Sequential critic_;
  std::deque<Step> memory_;
};

int main() {
  Player player;
  for (int game = 0; game < 100; ++game)
    for (int move = 0; move < 9; ++move) player.play(torch::rand({9}), move == 8);
  std::printf("%f\n", player.surprise());
}
