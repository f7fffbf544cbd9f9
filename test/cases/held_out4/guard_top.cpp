#include <torch/torch.h>
#include <iostream>
struct StudentImpl : torch::nn::Module {
  explicit StudentImpl(int64_t w) : a(20, w), b(w, 5) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(torch::Tensor x) { return b(torch::relu(a(x))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Student);
static torch::Tensor kd(const torch::Tensor& s, const torch::Tensor& t, double temp) {
  return torch::kl_div(torch::log_softmax(s / temp, 1), torch::softmax(t / temp, 1), torch::Reduction::Sum) * temp * temp / s.size(0);
}
static double distill(Student& teacher, Student& student, torch::optim::Optimizer& opt, int batches) {
  teacher->eval();
  student->train();
  double sum = 0;
  for (int i = 0; i < batches; ++i) {
    auto x = torch::randn({64, 20});
    auto y = torch::randint(5, {64}, torch::kLong);
    torch::AutoGradMode teacher_mode(false);
    auto soft = teacher->forward(x);
    auto out = student->forward(x);
    auto loss = 0.9 * kd(out, soft, 4) + 0.1 * torch::nn::functional::cross_entropy(out, y);
    opt.zero_grad();
    loss.backward();
    opt.step();
    sum += loss.item<double>();
  }
  return sum / batches;
}
int main() {
  Student teacher(256), student(32);
  torch::load(teacher, "teacher.pt");
  torch::optim::Adam opt(student->parameters(), 1e-3);
  for (int e = 0; e < 20; ++e) std::cout << e << " " << distill(teacher, student, opt, 100) << "\n";
}
