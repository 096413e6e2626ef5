// Shape and index arithmetic that many operators share.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hone/base/result.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/tensor_type.h"

namespace hone {

// An axis that may count from the back, as an index below `rank`.
Result<size_t> resolve_axis(int64_t axis, int64_t rank);
// Several, sorted; BadInput when one is repeated.
Result<std::vector<size_t>> resolve_axes(std::span<const int64_t> axes, int64_t rank);

// NumPy's broadcasting. An extent that is unknown on one side takes the other's if that is not 1.
Result<Shape> broadcast(const Shape& a, const Shape& b);

// Row-major strides in elements.
std::vector<int64_t> strides_of(std::span<const int64_t> shape);
// Strides to read a tensor of shape `from` as if broadcast to `to`: 0 along repeated axes.
std::vector<int64_t> broadcast_strides(std::span<const int64_t> from, std::span<const int64_t> to);

// A shape seen as [outer, n, inner] around one axis.
struct AxisSplit {
  int64_t outer;
  int64_t n;
  int64_t inner;
};
AxisSplit split_at(std::span<const int64_t> shape, size_t axis);

// Counts through a shape in row-major order while following any number of stride vectors.
//   for (IndexWalk walk(shape, {strides_a, strides_b}); !walk.done(); walk.next()) {
//     use(a[walk.offset(0)], b[walk.offset(1)]);
//   }
class IndexWalk {
 public:
  IndexWalk(std::span<const int64_t> shape, std::vector<std::vector<int64_t>> strides);
  bool done() const { return done_; }
  void next();
  int64_t offset(size_t which) const { return offsets_[which]; }
  const std::vector<int64_t>& index() const { return index_; }

 private:
  std::vector<int64_t> shape_;
  std::vector<std::vector<int64_t>> strides_;
  std::vector<int64_t> index_;
  std::vector<int64_t> offsets_;
  bool done_;
};

// The type without its quantization: an output never inherits its input's.
TensorType plain(TensorType type);

// infer: one output of input 0's type.
Result<std::vector<ValueType>> infer_same(const InferContext& in);
// infer: one output, all inputs broadcast together, of input 0's element type.
Result<std::vector<ValueType>> infer_broadcast(const InferContext& in);
// cost: `flops` per element of the first input; zero when the type is not known.
template <int64_t flops>
Cost cost_per_element(const InferContext& in) {
  const TensorType& type = in.type(0);
  return {.macs = 0, .flops = type.known() ? flops * type.elements() : 0};
}

// The operator as one that does as well on half precision, or has an integer form.
OpDef with_half(OpDef op);
OpDef with_integers(IntegerForm form, OpDef op);

// The attributes of operators with a fused activation: "", "relu", ... and its parameters.
//   activation        activation_params
//   relu, relu6, relu_n1_to_1, tanh, sigmoid, silu, hard_swish, gelu, gelu_tanh
//   clip              low, high
//   leaky_relu        alpha
//   hard_sigmoid      alpha, beta
inline AttrDef activation_attr() {
  return {"activation", std::string()};
}
inline AttrDef activation_params_attr() {
  return {"activation_params", Floats{}};
}
inline AttrDef layout_attr() {
  return {"layout", std::string("nchw")};
}
// For infer: Unsupported when the name is not known, BadInput when it has other parameters.
Status check_activation(const NodeContext& node);
// Applies the node's activation, which check_activation has let pass, to every element of a float
// tensor.
void activate_all(Tensor& tensor, const NodeContext& node);

// For infer: input `residual`, where it is there, is float like the output and of its shape, and
// nothing is quantized.
Status check_residual(const InferContext& in, size_t residual, const TensorType& output);

}  // namespace hone
