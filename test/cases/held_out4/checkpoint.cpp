#include <torch/torch.h>
#include <fstream>
#include <functional>
#include <iostream>

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct BlockImpl : torch::nn::Module {
  explicit BlockImpl(int64_t d) {
    l1 = register_module("l1", torch::nn::Linear(d, 4 * d));
    l2 = register_module("l2", torch::nn::Linear(4 * d, d));
  }
  torch::Tensor forward(torch::Tensor x) { return x + l2(torch::gelu(l1(x))); }
  torch::nn::Linear l1{nullptr}, l2{nullptr};
};
TORCH_MODULE(Block);

// Recomputes the block in backward instead of keeping its activations.
struct Checkpoint : torch::autograd::Function<Checkpoint> {
  static torch::Tensor forward(AutogradContext* ctx, torch::Tensor x, BlockImpl* block) {
    ctx->save_for_backward({x});
    ctx->saved_data["block"] = reinterpret_cast<int64_t>(block);
    torch::NoGradGuard no_grad;
    return block->forward(x);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grad) {
    auto block = reinterpret_cast<BlockImpl*>(ctx->saved_data["block"].toInt());
    auto x = ctx->get_saved_variables()[0].detach().requires_grad_(true);
    torch::Tensor y;
    {
      torch::AutoGradMode enable(true);
      y = block->forward(x);
    }
    y.backward(grad[0]);
    return {x.grad(), torch::Tensor()};
  }
};

struct DeepImpl : torch::nn::Module {
  DeepImpl(int64_t d, int n) : in(register_module("in", torch::nn::Linear(8, d))), out(register_module("out", torch::nn::Linear(d, 1))) {
    for (int i = 0; i < n; ++i) blocks.push_back(register_module("b" + std::to_string(i), Block(d)));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = in(x);
    for (auto& b : blocks) x = is_training() ? Checkpoint::apply(x, b.get()) : b->forward(x);
    return out(x);
  }
  torch::nn::Linear in, out;
  std::vector<Block> blocks;
};
TORCH_MODULE(Deep);

static void save(Deep& net, torch::optim::Optimizer& opt, int epoch) {
  torch::save(net, "deep.pt");
  torch::serialize::OutputArchive a;
  opt.save(a);
  a.write("epoch", torch::tensor(epoch));
  a.save_to("deep_opt.pt");
}

static int resume(Deep& net, torch::optim::Optimizer& opt) {
  if (!std::ifstream("deep.pt")) return 0;
  torch::load(net, "deep.pt");
  torch::serialize::InputArchive a;
  a.load_from("deep_opt.pt");
  opt.load(a);
  torch::Tensor epoch;
  a.read("epoch", epoch);
  return epoch.item<int>() + 1;
}

int main() {
  Deep net(64, 12);
  torch::optim::Adam opt(net->parameters(), torch::optim::AdamOptions(1e-3));
  for (int epoch = resume(net, opt); epoch < 50; ++epoch) {
    net->train();
    double sum = 0;
    for (int i = 0; i < 100; ++i) {
      auto x = torch::randn({64, 8});
      opt.zero_grad();
      auto loss = torch::mse_loss(net->forward(x), x.prod(1, true));
      loss.backward();
      opt.step();
      sum += loss.item<double>();
    }
    std::cout << epoch << " " << sum / 100 << "\n";
    save(net, opt, epoch);
  }
}
