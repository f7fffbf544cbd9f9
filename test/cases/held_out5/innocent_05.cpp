#include <torch/torch.h>
#include <iostream>
#include <vector>

struct SplineFitImpl : torch::nn::Module {
  SplineFitImpl() : a(3, 128), b(128, 1) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(const torch::Tensor& p) { return b(torch::sin(a(p))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(SplineFit);

// Signed distance on a regular grid, one slab of the volume per OpenMP thread.
std::vector<float> sample_volume(SplineFit& field, int n) {
  std::vector<float> volume(static_cast<size_t>(n) * n * n);
  field->eval();
#pragma omp parallel for schedule(dynamic)
  for (int z = 0; z < n; ++z) {
    torch::NoGradGuard no_grad;
    auto axis = torch::linspace(-1, 1, n);
    auto grid = torch::meshgrid({axis, axis}, "ij");
    auto xy = torch::stack({grid[0].flatten(), grid[1].flatten()}, 1);
    auto points = torch::cat({xy, torch::full({n * n, 1}, -1.0 + 2.0 * z / (n - 1))}, 1);
    auto values = field->forward(points).contiguous();
    std::copy_n(values.data_ptr<float>(), n * n, volume.begin() + static_cast<size_t>(z) * n * n);
  }
  return volume;
}

int main() {
  SplineFit field;
  torch::optim::Adam opt(field->parameters(), 1e-4);
  for (int step = 0; step < 5000; ++step) {
    auto p = torch::rand({512, 3}) * 2 - 1;
    opt.zero_grad();
    torch::mse_loss(field(p), p.norm(2, {1}, true) - 0.5).backward();
    opt.step();
  }
  auto volume = sample_volume(field, 64);
  std::cout << std::count_if(volume.begin(), volume.end(), [](float v) { return v < 0; }) << " voxels inside\n";
}
