#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <torch/torch.h>
#include <vector>

double norm(const std::vector<torch::Tensor> &Tensors) {
  double Sum = 0;
  for (const torch::Tensor &T : Tensors)
    Sum += T.detach().pow(2).sum().item<double>();
  return std::sqrt(Sum);
}

std::vector<std::string> checkpoints(const std::string &Folder) {
  std::vector<std::string> Names;
  for (const auto &Entry : std::filesystem::directory_iterator(Folder))
    Names.push_back(Entry.path().string());
  std::sort(Names.begin(), Names.end());
  return Names;
}
