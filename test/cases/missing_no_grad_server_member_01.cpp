#include <torch/script.h>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

class SegmentationServer {
 public:
  SegmentationServer(const std::string& path, torch::Device device) : device_(device) {
    net_ = torch::jit::load(path, device);
    net_.eval();
  }

  std::vector<uint8_t> mask(const uint8_t* rgb, int64_t height, int64_t width) {
    auto image = torch::from_blob(const_cast<uint8_t*>(rgb), {height, width, 3}, torch::kUInt8)
                     .to(device_, torch::kFloat)
                     .permute({2, 0, 1})
                     .unsqueeze(0)
                     .div(255.0);
    auto logits = net_.forward({image}).toTensor();  // EXPECT: missing-no-grad
    auto binary = torch::sigmoid(logits).gt(0.5).to(torch::kCPU, torch::kUInt8).contiguous();
    std::vector<uint8_t> result(binary.numel());
    std::memcpy(result.data(), binary.data_ptr<uint8_t>(), result.size());
    return result;
  }

 private:
  torch::jit::Module net_;
  torch::Device device_;
};

int main() {
  auto server = std::make_unique<SegmentationServer>("unet.pt", torch::kCPU);
  std::vector<uint8_t> frame(64 * 64 * 3, 127);
  for (int i = 0; i < 100; ++i) server->mask(frame.data(), 64, 64);
}
