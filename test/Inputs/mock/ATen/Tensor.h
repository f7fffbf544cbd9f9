//===- Tensor.h - Mock of at::Tensor ----------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <c10/c10.h>

namespace torch::autograd {
struct Node;
} // namespace torch::autograd

namespace at {
class Tensor;
class TensorBase;
using TensorList = c10::ArrayRef<Tensor>;
using ITensorListRef = c10::IListRef<Tensor>;

namespace Reduction {
enum Reduction { None, Mean, Sum, END };
} // namespace Reduction

namespace indexing {
enum class TensorIndexType { None, Ellipsis, Integer, Boolean, Slice, Tensor };
constexpr nullopt_t None = nullopt;
struct TORCH_API EllipsisIndexType final {
  EllipsisIndexType() = default;
};
extern const EllipsisIndexType Ellipsis;
struct TORCH_API Slice final {
  explicit Slice(c10::optional<int64_t> start_index = nullopt,
                 c10::optional<int64_t> stop_index = nullopt,
                 c10::optional<int64_t> step_index = nullopt);
};
struct TensorIndex;
} // namespace indexing

class TORCH_API TensorBase {
public:
  TensorBase();
  TensorBase(const TensorBase &);
  TensorBase(TensorBase &&);
  TensorBase &operator=(const TensorBase &) &;
  TensorBase &operator=(TensorBase &&) &;
  ~TensorBase();
  int64_t dim() const;
  int64_t size(int64_t dim) const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  bool defined() const;
  void reset();
  bool is_same(const TensorBase &other) const noexcept;
  size_t use_count() const noexcept;
  std::string toString() const;
  bool is_contiguous(MemoryFormat = MemoryFormat::Contiguous) const;
  size_t nbytes() const;
  int64_t numel() const;
  size_t itemsize() const;
  int64_t element_size() const;
  ScalarType scalar_type() const;
  caffe2::TypeMeta dtype() const;
  Device device() const;
  bool is_cpu() const;
  bool is_cuda() const;
  bool is_inference() const;
  bool is_floating_point() const;
  TensorOptions options() const;
  void *data_ptr() const;
  template <typename T> T *data_ptr() const;
  void print() const;
  template <typename T, size_t N> T accessor() const &;
  const TensorBase &set_requires_grad(bool requires_grad) const;
  bool requires_grad() const;
  const std::shared_ptr<torch::autograd::Node> &grad_fn() const;
  template <typename T> unsigned register_hook(T &&hook) const;
  void remove_hook(unsigned pos) const;
  bool is_leaf() const;
  int64_t output_nr() const;
  void set_data(const TensorBase &new_data) const;
  int64_t _version() const;
  void retain_grad() const;
  bool retains_grad() const;
  bool is_view() const;
  const std::string &name() const;
};

#define TORCHTIDY_MOCK_UNARY(X)                                                \
  X(abs)                                                                       \
  X(exp) X(log) X(log2) X(log1p) X(sqrt) X(rsqrt) X(sin) X(cos) X(tanh)        \
      X(sigmoid) X(relu) X(neg) X(square) X(sign) X(round) X(floor) X(ceil)    \
          X(erf) X(reciprocal)
#define TORCHTIDY_MOCK_COMPARE(X) X(eq) X(ne) X(lt) X(le) X(gt) X(ge)

class TORCH_API Tensor : public TensorBase {
public:
  Tensor() = default;
  Tensor(const Tensor &tensor) = default;
  Tensor(Tensor &&tensor) = default;
  explicit Tensor(const TensorBase &base);
  Tensor(TensorBase &&base);
  ~Tensor() = default;

  Tensor &operator=(const TensorBase &x) &;
  Tensor &operator=(TensorBase &&x) &;
  Tensor &operator=(const Tensor &x) &;
  Tensor &operator=(Tensor &&x) &;
  Tensor &operator=(Scalar v) &&;
  Tensor &operator=(const Tensor &rhs) &&;
  Tensor &operator=(Tensor &&rhs) &&;

  bool is_same(const Tensor &other) const noexcept;
  Tensor toType(ScalarType t) const;
  Tensor operator~() const;
  Tensor operator-() const;
  Tensor &operator+=(const Tensor &other);
  Tensor &operator+=(Scalar other);
  Tensor &operator-=(const Tensor &other);
  Tensor &operator-=(Scalar other);
  Tensor &operator*=(const Tensor &other);
  Tensor &operator*=(Scalar other);
  Tensor &operator/=(const Tensor &other);
  Tensor &operator/=(Scalar other);
  Tensor operator[](Scalar index) const;
  Tensor operator[](Tensor index) const;
  Tensor operator[](int64_t index) const;
  Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
  Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
  Tensor &index_put_(ArrayRef<indexing::TensorIndex> indices,
                     Tensor const &rhs);
  Tensor &index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar &v);
  Tensor &index_put_(std::initializer_list<indexing::TensorIndex> indices,
                     Tensor const &rhs);
  Tensor &index_put_(std::initializer_list<indexing::TensorIndex> indices,
                     const Scalar &v);
  Tensor cpu() const;
  Tensor cuda() const;
  void backward(const Tensor &gradient = {},
                c10::optional<bool> retain_graph = c10::nullopt,
                bool create_graph = false,
                c10::optional<TensorList> inputs = c10::nullopt) const;
  const Tensor &set_requires_grad(bool requires_grad) const;
  const Tensor &requires_grad_(bool _requires_grad = true) const;
  Tensor &mutable_grad() const;
  const Tensor &grad() const;
  Tensor data() const;
  Tensor variable_data() const;
  Tensor tensor_data() const;
  Tensor contiguous(MemoryFormat = MemoryFormat::Contiguous) const;

  template <typename T> T item() const;
  Scalar item() const;

  Tensor detach() const;
  Tensor &detach_() const;
  Tensor clone(c10::optional<MemoryFormat> memory_format = c10::nullopt) const;
  Tensor to(TensorOptions options = {}, bool non_blocking = false,
            bool copy = false,
            c10::optional<MemoryFormat> memory_format = c10::nullopt) const;
  Tensor to(Device device, ScalarType dtype, bool non_blocking = false,
            bool copy = false,
            c10::optional<MemoryFormat> memory_format = c10::nullopt) const;
  Tensor to(ScalarType dtype, bool non_blocking = false, bool copy = false,
            c10::optional<MemoryFormat> memory_format = c10::nullopt) const;
  Tensor to(const Tensor &other, bool non_blocking = false, bool copy = false,
            c10::optional<MemoryFormat> memory_format = c10::nullopt) const;
  Tensor type_as(const Tensor &other) const;
  Tensor pin_memory(c10::optional<Device> device = c10::nullopt) const;
  Tensor &copy_(const Tensor &src, bool non_blocking = false) const;
  Tensor &zero_() const;
  Tensor &fill_(const Scalar &value) const;
  Tensor &normal_(double mean = 0, double std = 1) const;
  Tensor &uniform_(double from = 0, double to = 1) const;
  const Tensor &resize_(IntArrayRef size) const;

#define TORCHTIDY_MOCK_ARITH(N)                                                \
  Tensor N(const Tensor &other) const;                                         \
  Tensor N(const Scalar &other) const;                                         \
  Tensor &N##_(const Tensor &other) const;                                     \
  Tensor &N##_(const Scalar &other) const;
  TORCHTIDY_MOCK_ARITH(mul)
  TORCHTIDY_MOCK_ARITH(div)
  TORCHTIDY_MOCK_ARITH(pow)
  TORCHTIDY_MOCK_ARITH(remainder)
#undef TORCHTIDY_MOCK_ARITH
#define TORCHTIDY_MOCK_ARITH(N)                                                \
  Tensor N(const Tensor &other, const Scalar &alpha = 1) const;                \
  Tensor N(const Scalar &other, const Scalar &alpha = 1) const;                \
  Tensor &N##_(const Tensor &other, const Scalar &alpha = 1) const;            \
  Tensor &N##_(const Scalar &other, const Scalar &alpha = 1) const;
  TORCHTIDY_MOCK_ARITH(add)
  TORCHTIDY_MOCK_ARITH(sub)
#undef TORCHTIDY_MOCK_ARITH
#define TORCHTIDY_MOCK_DECL(N)                                                 \
  Tensor N() const;                                                            \
  Tensor &N##_() const;
  TORCHTIDY_MOCK_UNARY(TORCHTIDY_MOCK_DECL)
#undef TORCHTIDY_MOCK_DECL
#define TORCHTIDY_MOCK_DECL(N)                                                 \
  Tensor N(const Scalar &other) const;                                         \
  Tensor N(const Tensor &other) const;
  TORCHTIDY_MOCK_COMPARE(TORCHTIDY_MOCK_DECL)
#undef TORCHTIDY_MOCK_DECL

  Tensor sum(c10::optional<ScalarType> dtype = c10::nullopt) const;
  Tensor sum(OptionalIntArrayRef dim, bool keepdim = false,
             c10::optional<ScalarType> dtype = c10::nullopt) const;
  Tensor mean(c10::optional<ScalarType> dtype = c10::nullopt) const;
  Tensor mean(OptionalIntArrayRef dim, bool keepdim = false,
              c10::optional<ScalarType> dtype = c10::nullopt) const;
  Tensor std(bool unbiased = true) const;
  Tensor std(OptionalIntArrayRef dim, bool unbiased = true,
             bool keepdim = false) const;
  Tensor var(bool unbiased = true) const;
  Tensor var(OptionalIntArrayRef dim, bool unbiased = true,
             bool keepdim = false) const;
  Tensor norm(const Scalar &p = 2) const;
  Tensor norm(const c10::optional<Scalar> &p, IntArrayRef dim,
              bool keepdim = false) const;
  Tensor cumsum(int64_t dim,
                c10::optional<ScalarType> dtype = c10::nullopt) const;
  Tensor softmax(int64_t dim,
                 c10::optional<ScalarType> dtype = c10::nullopt) const;
  Tensor log_softmax(int64_t dim,
                     c10::optional<ScalarType> dtype = c10::nullopt) const;
  ::std::tuple<Tensor, Tensor> max(int64_t dim, bool keepdim = false) const;
  ::std::tuple<Tensor, Tensor> min(int64_t dim, bool keepdim = false) const;
  Tensor max() const;
  Tensor max(const Tensor &other) const;
  Tensor min() const;
  Tensor min(const Tensor &other) const;
  Tensor argmax(c10::optional<int64_t> dim = c10::nullopt,
                bool keepdim = false) const;
  Tensor argmin(c10::optional<int64_t> dim = c10::nullopt,
                bool keepdim = false) const;
  Tensor argsort(int64_t dim = -1, bool descending = false) const;
  ::std::tuple<Tensor, Tensor> sort(int64_t dim = -1,
                                    bool descending = false) const;
  ::std::tuple<Tensor, Tensor> topk(int64_t k, int64_t dim = -1,
                                    bool largest = true,
                                    bool sorted = true) const;
  Tensor multinomial(int64_t num_samples, bool replacement = false) const;
  Tensor nonzero() const;
  Tensor all() const;
  Tensor any() const;
  Tensor isnan() const;
  bool equal(const Tensor &other) const;
  bool allclose(const Tensor &other, double rtol = 1e-05,
                double atol = 1e-08) const;
  Tensor clamp(const c10::optional<Scalar> &min,
               const c10::optional<Scalar> &max = c10::nullopt) const;
  Tensor clamp_min(const Scalar &min) const;
  Tensor matmul(const Tensor &other) const;
  Tensor mm(const Tensor &mat2) const;
  Tensor bmm(const Tensor &mat2) const;
  Tensor dot(const Tensor &tensor) const;
  Tensor gather(int64_t dim, const Tensor &index,
                bool sparse_grad = false) const;
  Tensor index_select(int64_t dim, const Tensor &index) const;
  Tensor masked_select(const Tensor &mask) const;
  Tensor masked_fill(const Tensor &mask, const Scalar &value) const;
  Tensor where(const Tensor &condition, const Tensor &other) const;
  Tensor view(IntArrayRef size) const;
  Tensor reshape(IntArrayRef shape) const;
  Tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1) const;
  Tensor permute(IntArrayRef dims) const;
  Tensor expand(IntArrayRef size, bool implicit = false) const;
  Tensor expand_as(const Tensor &other) const;
  Tensor repeat(IntArrayRef repeats) const;
  Tensor squeeze() const;
  Tensor squeeze(int64_t dim) const;
  Tensor unsqueeze(int64_t dim) const;
  Tensor t() const;
  Tensor transpose(int64_t dim0, int64_t dim1) const;
  Tensor select(int64_t dim, int64_t index) const;
  Tensor slice(int64_t dim = 0, c10::optional<int64_t> start = c10::nullopt,
               c10::optional<int64_t> end = c10::nullopt,
               int64_t step = 1) const;
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
  ::std::vector<Tensor> chunk(int64_t chunks, int64_t dim = 0) const;
  ::std::vector<Tensor> split(int64_t split_size, int64_t dim = 0) const;
  ::std::vector<Tensor> unbind(int64_t dim = 0) const;
};

namespace indexing {
struct TORCH_API TensorIndex final {
  TensorIndex(c10::nullopt_t);
  TensorIndex(EllipsisIndexType);
  TensorIndex(const char *str);
  TensorIndex(int64_t integer);
  TensorIndex(int integer);
  template <class T, class = std::enable_if_t<std::is_same<bool, T>::value>>
  TensorIndex(T boolean);
  TensorIndex(Slice slice);
  TensorIndex(Tensor tensor);
};
} // namespace indexing

#define TORCHTIDY_MOCK_OPERATOR(OP)                                            \
  Tensor operator OP(const Tensor &x, const Tensor &y);                        \
  Tensor operator OP(const Tensor &x, Scalar y);                               \
  Tensor operator OP(Scalar x, const Tensor &y);
TORCHTIDY_MOCK_OPERATOR(+)
TORCHTIDY_MOCK_OPERATOR(-)
TORCHTIDY_MOCK_OPERATOR(*)
TORCHTIDY_MOCK_OPERATOR(/)
TORCHTIDY_MOCK_OPERATOR(==)
TORCHTIDY_MOCK_OPERATOR(!=)
TORCHTIDY_MOCK_OPERATOR(<)
TORCHTIDY_MOCK_OPERATOR(<=)
TORCHTIDY_MOCK_OPERATOR(>)
TORCHTIDY_MOCK_OPERATOR(>=)
#undef TORCHTIDY_MOCK_OPERATOR

::std::ostream &operator<<(::std::ostream &out, const Tensor &t);

struct Generator {};
void manual_seed(uint64_t seed);
void set_num_threads(int);
int get_num_threads();
} // namespace at
