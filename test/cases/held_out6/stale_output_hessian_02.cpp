// Molecular dynamics: forces need create_graph for the virial; the last force's graph lives on during the next frame.
#include <torch/torch.h>

#include <fstream>
#include <iostream>

struct EnergyImpl : torch::nn::Module {
  EnergyImpl() {
    a = register_module("a", torch::nn::Linear(1, 64));
    b = register_module("b", torch::nn::Linear(64, 1));
    for (auto& p : parameters()) p.set_requires_grad(false);
  }
  torch::Tensor forward(torch::Tensor pos) {
    auto d = torch::pdist(pos).unsqueeze(1);
    return b(torch::tanh(a(1 / (d + 0.1)))).sum();
  }
  torch::nn::Linear a{nullptr}, b{nullptr};
};
TORCH_MODULE(Energy);

void curvature_log(Energy& energy, const torch::Tensor& start, int frames, std::ostream& out) {
  auto where = start.clone();
  torch::Tensor force;
  for (int f = 0; f < frames; ++f) {
    auto pos = where.detach().requires_grad_(true);
    auto e = energy->forward(pos);
    force = torch::autograd::grad({e}, {pos}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0].neg();  // OPTIONAL: stale-output
    auto stiffness = torch::autograd::grad({force.pow(2).sum()}, {pos}, {}, /*retain_graph=*/true)[0];  // OPTIONAL: retain-graph
    where = where + 1e-3 * force.detach();
    out << e.item<double>() << ' ' << stiffness.norm().item<double>() << '\n';
  }
}

int main() {
  Energy energy;
  std::ofstream out("curvature.txt");
  curvature_log(energy, torch::rand({40, 3}) * 6, 2000, out);
  std::cout << "written\n";
}
