#include <torch/torch.h>
#include <iostream>
#include <map>

struct VGGImpl : torch::nn::Module {
  VGGImpl() {
    int64_t in = 3;
    for (int64_t out : {16, 16, 32, 32, 64}) {
      convs->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).padding(1)));
      in = out;
    }
    register_module("convs", convs);
  }
  std::vector<torch::Tensor> forward(torch::Tensor x) {
    std::vector<torch::Tensor> feats;
    for (size_t i = 0; i < convs->size(); ++i) {
      x = torch::relu(convs->ptr<torch::nn::Conv2dImpl>(i)->forward(x));
      feats.push_back(x);
      if (i % 2 == 1) x = torch::max_pool2d(x, 2);
    }
    return feats;
  }
  torch::nn::ModuleList convs;
};
TORCH_MODULE(VGG);

static torch::Tensor gram(const torch::Tensor& f) {
  auto n = f.view({f.size(1), -1});
  return n.mm(n.t()) / n.numel();
}

class StyleTransfer {
 public:
  StyleTransfer(torch::Tensor content, torch::Tensor style) {
    torch::load(vgg_, "vgg.pt");
    vgg_->eval();
    for (auto& p : vgg_->parameters()) p.requires_grad_(false);
    content_ = vgg_->forward(content)[3].detach();
    for (auto& f : vgg_->forward(style)) grams_.push_back(gram(f).detach());
    image_ = content.clone().set_requires_grad(true);
  }

  torch::Tensor run(int steps) {
    torch::optim::Adam opt(std::vector<torch::Tensor>{image_}, torch::optim::AdamOptions(0.02));
    for (int i = 0; i < steps; ++i) {
      {
        torch::NoGradGuard no_grad;
        image_.clamp_(0, 1);
      }
      auto feats = vgg_->forward(image_);
      auto loss = torch::mse_loss(feats[3], content_);
      for (size_t l = 0; l < feats.size(); ++l) loss = loss + 1e5 * torch::mse_loss(gram(feats[l]), grams_[l]);
      if (image_.grad().defined()) image_.mutable_grad().zero_();
      loss.backward();
      opt.step();
      if (i % 50 == 0) std::cout << i << " " << loss.item<float>() << "\n";
    }
    return image_.detach().clamp(0, 1);
  }

 private:
  VGG vgg_;
  torch::Tensor content_, image_;
  std::vector<torch::Tensor> grams_;
};

int main() {
  torch::Tensor content, style;
  torch::load(content, "content.pt");
  torch::load(style, "style.pt");
  StyleTransfer transfer(content, style);
  torch::save(transfer.run(300), "out.pt");
}
