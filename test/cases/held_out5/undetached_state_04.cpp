#include <torch/torch.h>
#include <memory>

using torch::Tensor;

// One attention block that also attends to a memory of earlier segments.
struct MemoryBlock : torch::nn::Module {
  explicit MemoryBlock(int64_t dim)
      : attn(torch::nn::MultiheadAttentionOptions(dim, 4)), ff(dim, dim) {
    register_module("attn", attn);
    register_module("ff", ff);
  }
  Tensor forward(const Tensor& x, const Tensor& memory) {
    auto context = torch::cat({memory, x}, 0);
    auto mixed = std::get<0>(attn->forward(x, context, context));
    return torch::relu(ff(x + mixed));
  }
  torch::nn::MultiheadAttention attn;
  torch::nn::Linear ff;
};

struct Segment {
  Tensor x, y;
};

void train_long_document(std::shared_ptr<MemoryBlock> block, torch::nn::Linear head, const std::vector<Segment>& doc,
                         int64_t memory_length) {
  auto params = block->parameters();
  for (auto& p : head->parameters()) params.push_back(p);
  torch::optim::Adam opt(params, 5e-4);
  auto memory = torch::zeros({1, 1, 128});
  for (const auto& seg : doc) {
    opt.zero_grad();
    auto hidden = block->forward(seg.x, memory);
    auto loss = torch::mse_loss(head(hidden), seg.y);
    loss.backward({}, /*retain_graph=*/true);
    opt.step();
    memory = torch::cat({memory, hidden}, 0).slice(0, -memory_length);
  }
}
