// DQN with prioritised replay: the priorities live in one tensor that is written slot by slot.
#include <torch/torch.h>

#include <random>
#include <vector>

struct Transition {
  torch::Tensor state, next_state;
  int64_t action = 0;
  float reward = 0.f;
};

class PriorityMemory {
 public:
  explicit PriorityMemory(int64_t capacity) : capacity_(capacity), priority_(torch::zeros({capacity})) {
    items_.reserve(capacity);
  }

  void add(Transition t) {
    if (static_cast<int64_t>(items_.size()) < capacity_) {
      items_.push_back(std::move(t));
    } else {
      items_[next_] = std::move(t);
    }
    priority_[next_] = 1.0;
    next_ = (next_ + 1) % capacity_;
  }

  std::vector<int64_t> sample(int64_t n) const {
    auto idx = torch::multinomial(priority_.detach() + 1e-3, n, /*replacement=*/true);
    return std::vector<int64_t>(idx.data_ptr<int64_t>(), idx.data_ptr<int64_t>() + n);
  }

  void update(int64_t slot, const torch::Tensor& td) {
    priority_[slot] = td.abs();  // EXPECT: retained-graph
  }

  const Transition& at(int64_t i) const { return items_[i]; }
  int64_t size() const { return static_cast<int64_t>(items_.size()); }

 private:
  int64_t capacity_, next_ = 0;
  std::vector<Transition> items_;
  torch::Tensor priority_;
};

struct QNetImpl : torch::nn::Module {
  QNetImpl(int64_t obs, int64_t actions) {
    a = register_module("a", torch::nn::Linear(obs, 128));
    b = register_module("b", torch::nn::Linear(128, actions));
  }
  torch::Tensor forward(torch::Tensor s) { return b(torch::relu(a(s))); }
  torch::nn::Linear a{nullptr}, b{nullptr};
};
TORCH_MODULE(QNet);

void learn(QNet& online, QNet& target, torch::optim::Adam& opt, PriorityMemory& memory, float gamma) {
  const auto picks = memory.sample(32);
  std::vector<torch::Tensor> s, s2, a, r;
  for (auto i : picks) {
    const auto& t = memory.at(i);
    s.push_back(t.state);
    s2.push_back(t.next_state);
    a.push_back(torch::tensor({t.action}));
    r.push_back(torch::tensor(t.reward));
  }
  torch::Tensor goal;
  {
    torch::NoGradGuard off;
    goal = torch::stack(r) + gamma * std::get<0>(target->forward(torch::stack(s2)).max(1));
  }
  auto q = online->forward(torch::stack(s)).gather(1, torch::stack(a)).squeeze(1);
  auto td = goal - q;
  opt.zero_grad();
  td.pow(2).mean().backward();
  opt.step();
  for (size_t k = 0; k < picks.size(); ++k) memory.update(picks[k], td[k]);  // ALSO: retained-graph
}

int main() {
  QNet online(8, 4), target(8, 4);
  torch::optim::Adam opt(online->parameters(), 1e-3);
  PriorityMemory memory(50000);
  std::mt19937 rng(1);
  for (int step = 0; step < 100000; ++step) {
    memory.add({torch::randn(8), torch::randn(8), static_cast<int64_t>(rng() % 4), 0.1f});
    if (memory.size() > 1000) learn(online, target, opt, memory, 0.99f);
  }
}
