#include "hone/targets/cpu/batch_shape.h"

namespace hone::cpu {

std::optional<BatchShape> batch_shape_of(const Node& matmul, const StepBuilder& builder) {
  const TensorType& a = matmul.inputs[0]->type.tensor;
  const TensorType& b = matmul.inputs[1]->type.tensor;
  const TensorType& y = matmul.outputs[0]->type.tensor;
  if (y.dtype != DType::F32 && y.dtype != DType::F16) return std::nullopt;
  for (const Value* value : {matmul.inputs[0], matmul.inputs[1], matmul.outputs[0]}) {
    const TensorType& type = value->type.tensor;
    if (!builder.planned(value) || type.dtype != y.dtype || type.rank() < 2 ||
        type.elements() == 0) {
      return std::nullopt;
    }
  }
  BatchShape shape{};
  shape.m = static_cast<size_t>(a.shape[a.shape.size() - 2]);
  shape.k = static_cast<size_t>(a.shape.back());
  shape.n = static_cast<size_t>(b.shape.back());
  shape.batch = static_cast<size_t>(y.elements()) / (shape.m * shape.n);
  const size_t in_a = static_cast<size_t>(a.elements()) / (shape.m * shape.k);
  const size_t in_b = static_cast<size_t>(b.elements()) / (shape.k * shape.n);
  shape.repeat_a = in_a == 1;
  shape.repeat_b = in_b == 1;
  const bool fits = (in_a == shape.batch || in_a == 1) && (in_b == shape.batch || in_b == 1);
  return fits ? std::optional(shape) : std::nullopt;
}

}  // namespace hone::cpu
