// RUN: %check %s torch-saved-data
//
// Helpers, branches, lambdas, templates; what backward does; what is unseen.

#include "../Inputs/net.h"

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

static void remember(AutogradContext *ctx, const std::string &key,
                     const Tensor &value) {
  ctx->saved_data[key] = value;
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: this function's output in 'saved_data' is kept alive for ever by its own graph node [torch-saved-data]
  // CHECK-NOTES: :[[@LINE+12]]:5: note: called from here
  // CHECK-NOTES: :[[@LINE+12]]:5: note: the output is returned here: it holds the node, and the node holds what is in 'saved_data'
  // CHECK-NOTES: :[[@LINE-4]]:3: note: each call keeps the output and the graph behind it; save_for_backward keeps outputs without such a cycle
}

static Tensor compute(const Tensor &x) { return torch::exp(x) + 1; }

struct bad_helper_stores : Function<bad_helper_stores> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    Tensor y = compute(x);
    remember(ctx, "x", x);
    remember(ctx, "n", x.detach());
    remember(ctx, "y", y);
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * (ctx->saved_data["y"].toTensor() - 1)};
  }
};

struct Parts {
  Tensor out, mask;
};

static Parts split(const Tensor &x) {
  Tensor mask = x > 0;
  return {x * mask, mask};
}

struct bad_structure : Function<bad_structure> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    Parts parts = split(x);
    ctx->saved_data["mask"] = parts.mask;
    ctx->saved_data["out"] = parts.out;
    // CHECK-NOTES: :[[@LINE-1]]:5: warning: {{.*}} [torch-saved-data]
    // CHECK-NOTES: note:
    // CHECK-NOTES: note:
    return parts.out;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["mask"].toTensor()};
  }
};

struct bad_structured_binding : Function<bad_structured_binding> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto [out, mask] = split(x);
    ctx->saved_data["out"] = out;
    // CHECK-NOTES: :[[@LINE-1]]:5: warning: {{.*}} [torch-saved-data]
    // CHECK-NOTES: note:
    // CHECK-NOTES: note:
    return out;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["out"].toTensor()};
  }
};

struct bad_branch : Function<bad_branch> {
  static Tensor forward(AutogradContext *ctx, Tensor x, bool smooth) {
    Tensor y;
    if (smooth) {
      y = torch::tanh(x);
      ctx->saved_data["y"] = y;
      // CHECK-NOTES: :[[@LINE-1]]:7: warning: {{.*}} [torch-saved-data]
      // CHECK-NOTES: note:
      // CHECK-NOTES: note:
    } else {
      y = x.clamp(-1, 1);
      ctx->saved_data["x"] = x;
    }
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    if (ctx->saved_data.count("x"))
      return {g[0] * (ctx->saved_data["x"].toTensor().abs() < 1), Tensor()};
    auto y = ctx->saved_data["y"].toTensor();
    return {g[0] * (1 - y * y), Tensor()};
  }
};

struct bad_early_return : Function<bad_early_return> {
  static Tensor forward(AutogradContext *ctx, Tensor x, bool twice) {
    auto y = torch::tanh(x);
    ctx->saved_data["y"] = y;
    // CHECK-NOTES: :[[@LINE-1]]:5: warning: {{.*}} [torch-saved-data]
    // CHECK-NOTES: note:
    // CHECK-NOTES: note:
    if (!twice)
      return y;
    return torch::tanh(y);
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor(), Tensor()};
  }
};

struct bad_conditional : Function<bad_conditional> {
  static Tensor forward(AutogradContext *ctx, Tensor x, bool wide) {
    auto y = wide ? torch::tanh(x) : torch::sigmoid(x);
    ctx->saved_data["y"] = y;
    // CHECK-NOTES: :[[@LINE-1]]:5: warning: {{.*}} [torch-saved-data]
    // CHECK-NOTES: note:
    // CHECK-NOTES: note:
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor(), Tensor()};
  }
};

struct bad_lambda : Function<bad_lambda> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto keep = [&](const char *name, const Tensor &value) {
      ctx->saved_data[name] = value;
      // CHECK-NOTES: :[[@LINE-1]]:7: warning: {{.*}} [torch-saved-data]
      // CHECK-NOTES: note: called from here
      // CHECK-NOTES: note:
      // CHECK-NOTES: note:
    };
    auto y = [&] { return torch::tanh(x); }();
    keep("y", y);
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor()};
  }
};

template <class Derived> struct bad_base : Function<Derived> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = Derived::value(x);
    ctx->saved_data["y"] = y;
    // CHECK-NOTES: :[[@LINE-1]]:5: warning: {{.*}} [torch-saved-data]
    // CHECK-NOTES: note:
    // CHECK-NOTES: note:
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * Derived::slope(ctx->saved_data["y"].toTensor())};
  }
};
struct Tanh : bad_base<Tanh> {
  static Tensor value(const Tensor &x) { return torch::tanh(x); }
  static Tensor slope(const Tensor &y) { return 1 - y * y; }
};
struct Exp : bad_base<Exp> {
  static Tensor value(const Tensor &x) { return torch::exp(x); }
  static Tensor slope(const Tensor &y) { return y; }
};
Tensor both(const Tensor &x) { return Tanh::apply(Exp::apply(x)); }

// Written elsewhere, in CUDA perhaps.
std::vector<Tensor> fused_forward(const Tensor &x, const Tensor &w);
Tensor fused_backward(const Tensor &g, const Tensor &y);
void launch(const Tensor &x, const Tensor &y);

struct bad_kernel : Function<bad_kernel> {
  static variable_list forward(AutogradContext *ctx, Tensor x, Tensor w) {
    auto outs = fused_forward(x, w);
    ctx->saved_data["y"] = outs[0];
    // CHECK-NOTES: :[[@LINE-1]]:5: warning: {{.*}} [torch-saved-data]
    // CHECK-NOTES: note:
    // CHECK-NOTES: note:
    ctx->saved_data["inner"] = outs[1];
    return {outs[0]};
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {fused_backward(g[0], ctx->saved_data["y"].toTensor()), Tensor()};
  }
};

struct bad_kernel_writes : Function<bad_kernel_writes> {
  static Tensor forward(AutogradContext *ctx, Tensor x);
  static variable_list backward(AutogradContext *ctx, variable_list g);
};
Tensor bad_kernel_writes::forward(AutogradContext *ctx, Tensor x) {
  auto y = torch::empty_like(x);
  launch(x, y);
  ctx->saved_data["y"] = y;
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: {{.*}} [torch-saved-data]
  // CHECK-NOTES: note:
  // CHECK-NOTES: note:
  return y;
}
variable_list bad_kernel_writes::backward(AutogradContext *ctx,
                                          variable_list g) {
  auto kept = ctx->saved_data.find("y");
  return {g[0] * kept->second.toTensor()};
}

// What is right, or not certain.

struct ok_backward_lets_go : Function<ok_backward_lets_go> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["y"] = y;
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    auto y = ctx->saved_data["y"].toTensor();
    ctx->saved_data.clear();
    return {g[0] * y};
  }
};

struct ok_backward_moves_it : Function<ok_backward_moves_it> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["y"] = y;
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * std::move(ctx->saved_data["y"]).toTensor()};
  }
};

struct ok_backward_erases : Function<ok_backward_erases> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["y"] = y;
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    auto &saved = ctx->saved_data;
    auto y = saved["y"].toTensor();
    saved.erase("y");
    return {g[0] * y};
  }
};

Tensor take(AutogradContext *ctx);

struct ok_backward_is_helped : Function<ok_backward_is_helped> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["y"] = y;
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * take(ctx)};
  }
};

struct ok_backward_cuts : Function<ok_backward_cuts> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["y"] = y;
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    auto y = ctx->saved_data["y"].toTensor();
    y.detach_();
    return {g[0] * y};
  }
};

void finish(AutogradContext *ctx, const Tensor &y);

struct ok_unseen_helper : Function<ok_unseen_helper> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["y"] = y;
    finish(ctx, y); // may put another in its place
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor()};
  }
};

void normalise(Tensor &y);

struct ok_maybe_another_tensor : Function<ok_maybe_another_tensor> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["y"] = y;
    normalise(y);
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor()};
  }
};

struct ok_which_of_the_outputs : Function<ok_which_of_the_outputs> {
  static variable_list forward(AutogradContext *ctx, Tensor x, Tensor w,
                               size_t which) {
    auto outs = fused_forward(x, w);
    ctx->saved_data["some"] = outs[which];
    return {outs[0], outs[1]};
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    auto some = ctx->saved_data["some"].toTensor();
    return {g[0] * some, g[1] * some, Tensor()};
  }
};

struct ok_index_of_a_kernel : Function<ok_index_of_a_kernel> {
  static variable_list forward(AutogradContext *ctx, Tensor x, Tensor w) {
    auto outs = fused_forward(x, w);
    ctx->saved_data["where"] = outs[1]; // integers, as it may be
    return {outs[0], outs[1]};
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0].gather(1, ctx->saved_data["where"].toTensor()), Tensor()};
  }
};

struct ok_swapped : Function<ok_swapped> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x), z = torch::tanh(x);
    ctx->saved_data["y"] = y;
    std::swap(y, z);
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor()};
  }
};

struct ok_lambda_copies : Function<ok_lambda_copies> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    auto keep = [ctx, y] { ctx->saved_data["y"] = y; };
    y = y * 2;
    keep();
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor()};
  }
};

// No custom function: nothing becomes the node of what is returned.
struct ok_other_class {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["y"] = y;
    return y;
  }
};

struct ok_helper_of_a_copy : Function<ok_helper_of_a_copy> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    return ok_other_class::forward(ctx, x).clone();
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor()};
  }
};
