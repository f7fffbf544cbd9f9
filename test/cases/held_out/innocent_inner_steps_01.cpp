#include <torch/torch.h>
#include <vector>

using torch::Tensor;

struct Codebook : torch::nn::Module {
  Tensor codes;
  explicit Codebook(int64_t n) { codes = register_parameter("codes", torch::randn({n, 8})); }
  Tensor forward(const Tensor& idx) { return codes.index_select(0, idx); }
};

// Every minibatch has its own step; only the schedule and the logging look at the counter.
void fit(Codebook& book, const std::vector<std::pair<Tensor, Tensor>>& data, int epochs, int report_every) {
  torch::optim::AdamW opt(book.parameters(), torch::optim::AdamWOptions(1e-2).weight_decay(1e-4));
  torch::optim::StepLR schedule(opt, 30, 0.1);
  int64_t counter = 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    float shown = 0;
    auto it = data.begin();
    do {
      const auto& [idx, target] = *it;
      opt.zero_grad();
      auto loss = torch::mse_loss(book.forward(idx), target);
      loss.backward();
      opt.step();
      shown += loss.item<float>();
      if (++counter % report_every == 0) {
        std::printf("%ld %.4f\n", static_cast<long>(counter), shown / report_every);
        shown = 0;
      }
    } while (++it != data.end());
    schedule.step();
    if (epoch % 10 == 0) torch::save(book.codes, "codes.pt");
  }
}
