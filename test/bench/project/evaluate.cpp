#include "model.h"
#include <fstream>
#include <map>
#include <string>

int main() {
  Net Model(64, 128, 10);
  torch::load(Model, "net.pt");
  Model->eval();
  std::map<int64_t, int> Histogram;
  for (int Batch = 0; Batch < 100; ++Batch) {
    auto Output = Model->forward(torch::randn({32, 64}));
    ++Histogram[Output.argmax(1)[0].item<int64_t>()];
  }
  std::ofstream Out("histogram.txt");
  for (const auto &[Class, Count] : Histogram)
    Out << Class << " " << Count << "\n";
}
