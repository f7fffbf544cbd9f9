// RUN: %check %s torch-saved-data
//
// How an output gets into saved_data, and how it leaves the function.

#include "../Inputs/net.h"

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::tensor_list;
using torch::autograd::variable_list;

struct bad_plain : Function<bad_plain> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["y"] = y;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this function's output in 'saved_data' is kept alive for ever by its own graph node [torch-saved-data]
    return y;
  }
  static tensor_list backward(AutogradContext *ctx, tensor_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor()};
  }
};

struct bad_list_of_outputs : Function<bad_list_of_outputs> {
  static variable_list forward(AutogradContext *ctx, Tensor x, Tensor w) {
    Tensor y = x.mm(w), z = torch::relu(y);
    ctx->saved_data["z"] = z;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-saved-data]
    return {y, z};
  }
  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    auto z = ctx->saved_data["z"].toTensor();
    return {grads[0] + grads[1] * (z > 0), Tensor()};
  }
};

struct bad_in_a_vector : Function<bad_in_a_vector> {
  static variable_list forward(AutogradContext *ctx, const Tensor &x) {
    const Tensor y = x.sigmoid();
    ctx->saved_data["saved"] = std::vector<Tensor>{x, y};
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-saved-data]
    variable_list out;
    out.push_back(y);
    return out;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    const auto saved = ctx->saved_data["saved"].toTensorVector();
    return {g[0] * saved[1] * (1 - saved[1])};
  }
};

struct bad_list_grows_later : Function<bad_list_grows_later> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x) {
    c10::List<Tensor> kept;
    kept.push_back(x);
    ctx->saved_data["kept"] = kept;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-saved-data]
    auto y = torch::tanh(x);
    kept.push_back(y); // the same list
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    auto y = ctx->saved_data.at("kept").toTensorVector()[1];
    return {g[0] * (1 - y * y)};
  }
};

struct bad_dictionary : Function<bad_dictionary> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x) {
    auto y = torch::tanh(x);
    c10::Dict<std::string, Tensor> kept;
    kept.insert("out", y);
    ctx->saved_data["kept"] = kept;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-saved-data]
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    auto kept = ctx->saved_data["kept"].toGenericDict();
    return {g[0] * (1 - kept.at("out").toTensor())};
  }
};

struct bad_tuple : Function<bad_tuple> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x) {
    auto y = torch::tanh(x);
    ctx->saved_data["both"] = c10::ivalue::Tuple::create({x, y});
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-saved-data]
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    auto y = ctx->saved_data["both"].toTuple()->elements()[1].toTensor();
    return {g[0] * (1 - y * y)};
  }
};

struct bad_inserted : Function<bad_inserted> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x) {
    auto y = torch::tanh(x);
    ctx->saved_data.insert({"y", y});
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: {{.*}} [torch-saved-data]
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data.at("y").toTensor()};
  }
};

struct bad_emplaced : Function<bad_emplaced> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x) {
    auto y = torch::tanh(x);
    auto &saved = ctx->saved_data;
    saved.emplace("y", y);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: {{.*}} [torch-saved-data]
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    const auto &saved = ctx->saved_data;
    return {g[0] * saved.at("y").toTensor()};
  }
};

struct bad_renamed : Function<bad_renamed> {
  static Tensor forward(AutogradContext *context, const Tensor &x) {
    auto y = torch::tanh(x);
    Tensor result = y;
    const Tensor &kept = result;
    context->saved_data["y"] = kept;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-saved-data]
    return y;
  }
  static variable_list backward(AutogradContext *context, variable_list g) {
    return {g[0] * context->saved_data["y"].toTensor()};
  }
};

struct bad_changed_in_place : Function<bad_changed_in_place> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x) {
    auto y = torch::zeros_like(x);
    ctx->saved_data["y"] = y;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-saved-data]
    y.add_(x);
    y *= 2;
    return y.relu_();
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor()};
  }
};

// An input that is marked as written gets the node as its history.
struct bad_dirty_input : Function<bad_dirty_input> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    x.mul_(2);
    ctx->mark_dirty({x});
    ctx->saved_data["x"] = x;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-saved-data]
    return x;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["x"].toTensor().sign()};
  }
};

// A view holds the tensor that it is a view of.
struct bad_view : Function<bad_view> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::softmax(x, 1);
    ctx->saved_data["first"] = y[0];
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: a view of this function's output in 'saved_data' keeps the output alive for ever [torch-saved-data]
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["first"].toTensor()};
  }
};

struct bad_view_of_the_input : Function<bad_view_of_the_input> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto flat = x.view({-1});
    ctx->saved_data["flat"] = flat;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-saved-data]
    return flat;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["flat"].toTensor()};
  }
};

struct bad_tied : Function<bad_tied> {
  static variable_list forward(AutogradContext *ctx, Tensor x) {
    Tensor values, where;
    std::tie(values, where) = x.max(1);
    ctx->saved_data["where"] = where;
    ctx->saved_data["values"] = values;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-saved-data]
    return {values, where};
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["values"].toTensor()};
  }
};

struct bad_detached_output : Function<bad_detached_output> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x).detach(); // what is returned all the same
    ctx->saved_data["y"] = y;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-saved-data]
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor()};
  }
};

struct bad_key_of_loop : Function<bad_key_of_loop> {
  static Tensor forward(AutogradContext *ctx, Tensor x, int64_t rounds) {
    Tensor h = torch::tanh(x);
    for (int64_t i = 0; i < rounds; ++i) {
      h = torch::tanh(h + x);
      ctx->saved_data["h" + std::to_string(i)] = h;
      // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-saved-data]
    }
    return h;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["h0"].toTensor(), Tensor()};
  }
};

// What is right.

struct ok_input : Function<ok_input> {
  static Tensor forward(AutogradContext *ctx, Tensor x, double scale) {
    ctx->saved_data["x"] = x;
    ctx->saved_data["scale"] = scale;
    ctx->saved_data["sizes"] = x.sizes().vec();
    return x * scale;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["scale"].toDouble(), Tensor()};
  }
};

struct ok_save_for_backward : Function<ok_save_for_backward> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->save_for_backward({y});
    ctx->saved_data["dim"] = x.dim();
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->get_saved_variables()[0]};
  }
};

struct ok_intermediate : Function<ok_intermediate> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto e = torch::exp(x);
    ctx->saved_data["e"] = e;
    return e / (1 + e);
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] / ctx->saved_data["e"].toTensor()};
  }
};

struct ok_copies : Function<ok_copies> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["a"] = y.detach();
    ctx->saved_data["b"] = y.clone();
    ctx->saved_data["c"] = y.detach().view({-1});
    ctx->saved_data["d"] = std::vector<Tensor>{x, y.detach()};
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["a"].toTensor()};
  }
};

struct ok_clone_is_returned : Function<ok_clone_is_returned> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["y"] = y;
    return y.clone();
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor()};
  }
};

struct ok_rebound : Function<ok_rebound> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["y"] = y;
    y = y * 2;
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor()};
  }
};

// The view has the node as history; what it is a view of has not.
struct ok_base_of_the_output : Function<ok_base_of_the_output> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["y"] = y;
    return y.t();
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0].t() * ctx->saved_data["y"].toTensor()};
  }
};

struct ok_two_views : Function<ok_two_views> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["row"] = y[0];
    auto parts = y.chunk(2);
    ctx->saved_data["part"] = parts[1];
    return parts[0];
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["row"].toTensor()};
  }
};

// An input that is returned is returned as a view.
struct ok_input_is_returned : Function<ok_input_is_returned> {
  static Tensor forward(AutogradContext *ctx, Tensor x, double lambda) {
    ctx->saved_data["x"] = x;
    ctx->saved_data["lambda"] = lambda;
    return x;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {-ctx->saved_data["lambda"].toDouble() * g[0], Tensor()};
  }
};

struct ok_maybe_the_input : Function<ok_maybe_the_input> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = x.contiguous();
    ctx->saved_data["y"] = y;
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] + ctx->saved_data["y"].toTensor()};
  }
};

struct ok_without_gradient : Function<ok_without_gradient> {
  static variable_list forward(AutogradContext *ctx, Tensor x) {
    auto mask = x > 0, best = x.argmax(1), noise = torch::rand_like(x);
    ctx->saved_data["mask"] = mask;
    ctx->saved_data["best"] = best;
    ctx->saved_data["noise"] = noise;
    ctx->mark_non_differentiable({noise});
    return {x * mask + noise, mask, best, noise};
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["mask"].toTensor()};
  }
};

struct ok_overwritten : Function<ok_overwritten> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = torch::exp(x);
    ctx->saved_data["y"] = y;
    ctx->saved_data["y"] = y.detach();
    ctx->saved_data["z"] = y;
    ctx->saved_data.erase("z");
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor()};
  }
};

struct ok_previous_round : Function<ok_previous_round> {
  static Tensor forward(AutogradContext *ctx, Tensor x, int64_t rounds) {
    Tensor h = torch::tanh(x);
    for (int64_t i = 0; i < rounds; ++i) {
      ctx->saved_data["before"] = h;
      h = torch::tanh(h + x);
    }
    return h;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["before"].toTensor(), Tensor()};
  }
};

struct ok_other_branch : Function<ok_other_branch> {
  static Tensor forward(AutogradContext *ctx, Tensor x, bool keep) {
    auto y = torch::exp(x);
    if (keep) {
      ctx->saved_data["y"] = y;
      y = y.clone();
    }
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor(), Tensor()};
  }
};
