#include <torch/script.h>
#include <torch/torch.h>
#include <utility>
#include <vector>

// Molecular dynamics with a TorchScript potential: forces are gradients of the energy.
class Potential {
 public:
  explicit Potential(const std::string& file) : module_(torch::jit::load(file)) { module_.eval(); }

  std::pair<double, torch::Tensor> compute(const torch::Tensor& positions, const torch::Tensor& species) {
    auto r = positions.clone().set_requires_grad(true);
    auto energy = module_.forward({species, r}).toTensor().sum();
    energy.backward();
    return {energy.item<double>(), -r.grad()};
  }

 private:
  torch::jit::Module module_;
};

int main() {
  Potential potential("ani.pt");
  auto x = torch::rand({1, 20, 3}), v = torch::zeros({1, 20, 3});
  const auto species = torch::ones({1, 20}, torch::kLong);
  std::vector<double> energies;
  std::vector<torch::Tensor> trajectory;
  for (int step = 0; step < 10000; ++step) {
    auto [e, f] = potential.compute(x, species);
    v = v + 0.5e-3 * f;
    x = x + 1e-3 * v;
    energies.push_back(e);
    if (step % 100 == 0) trajectory.push_back(x.clone());
  }
  return trajectory.empty() || energies.empty();
}
