#include "hone/targets/cpu/matrix_stack.h"

#include <algorithm>

namespace hone::cpu {
namespace {

using Strides = std::vector<size_t>;

size_t size_of_axis(int64_t extent) {
  return static_cast<size_t>(extent);
}

Strides dense_strides(const Shape& shape) {
  Strides strides(shape.size(), 1);
  for (size_t axis = shape.size() - 1; axis-- > 0;) {
    strides[axis] = strides[axis + 1] * size_of_axis(shape[axis + 1]);
  }
  return strides;
}

// `value` as a stack of the matrices of `shape`, whose axes have these strides in it.
MatrixStack make_stack(const Value* value, const Shape& shape, const Strides& strides) {
  const size_t batch_axes = shape.size() - 2;
  MatrixStack stack{value, {0}, strides[batch_axes]};
  for (size_t axis = 0; axis < batch_axes; ++axis) {
    std::vector<size_t> starts;
    for (const size_t start : stack.starts) {
      for (size_t i = 0; i < size_of_axis(shape[axis]); ++i) {
        starts.push_back(start + i * strides[axis]);
      }
    }
    stack.starts = std::move(starts);
  }
  return stack;
}

// The permutation of a transpose that leaves elements of rows side by side, and of values whose
// place is known before a run.
const Ints* row_moves(const Node& transpose, const StepBuilder& builder) {
  if (transpose.op != "transpose" || builder.options().keep_values) return nullptr;
  const Value& x = *transpose.inputs[0];
  const Ints* perm = transpose.find_attr<Ints>("perm");
  const bool fits = perm != nullptr && perm->size() >= 3 && !x.constant && builder.planned(&x) &&
                    builder.planned(transpose.outputs[0]) &&
                    perm->back() == static_cast<int64_t>(perm->size()) - 1;
  return fits ? perm : nullptr;
}

// The transpose that a product's result goes through, and nobody else reads. One between two
// products is the second one's.
const Node* transpose_behind(const Node& matmul, const StepBuilder& builder) {
  const Value& y = *matmul.outputs[0];
  if (y.users.size() != 1 || builder.is_output(&y)) return nullptr;
  const Node* user = y.users[0].node;
  const bool writes = row_moves(*user, builder) != nullptr && !is_read_as_stack(*user, builder);
  return writes ? user : nullptr;
}

}  // namespace

std::optional<BatchShape> batch_shape(const Node& matmul, const StepBuilder& builder) {
  if (matmul.op != "matmul") return std::nullopt;
  const TensorType& a = matmul.inputs[0]->type.tensor;
  const TensorType& b = matmul.inputs[1]->type.tensor;
  const TensorType& y = matmul.outputs[0]->type.tensor;
  for (const Value* value : {matmul.inputs[0], matmul.inputs[1], matmul.outputs[0]}) {
    const TensorType& type = value->type.tensor;
    if (!builder.planned(value) || type.dtype != y.dtype || type.rank() < 2 ||
        type.elements() == 0 || (type.dtype != DType::F32 && type.dtype != DType::F16)) {
      return std::nullopt;
    }
  }
  BatchShape shape{};
  shape.m = size_of_axis(a.shape[a.shape.size() - 2]);
  shape.k = size_of_axis(a.shape.back());
  shape.n = size_of_axis(b.shape.back());
  shape.batch = size_of_axis(y.elements()) / (shape.m * shape.n);
  const size_t in_a = size_of_axis(a.elements()) / (shape.m * shape.k);
  const size_t in_b = size_of_axis(b.elements()) / (shape.k * shape.n);
  // Other broadcasts of the batch are rare, and a constant matrix is packed once.
  const bool fits = (in_a == shape.batch || in_a == 1) && (in_b == shape.batch || in_b == 1) &&
                    !(matmul.inputs[1]->constant && b.rank() == 2);
  return fits ? std::optional(shape) : std::nullopt;
}

MatrixStack operand_stack(const Node& matmul, size_t input, const StepBuilder& builder) {
  const Value* value = matmul.inputs[input];
  const Shape& shape = value->type.tensor.shape;
  if (value->producer == nullptr || !is_read_as_stack(*value->producer, builder)) {
    return make_stack(value, shape, dense_strides(shape));
  }
  const Ints* perm = row_moves(*value->producer, builder);
  const Value* source = value->producer->inputs[0];
  const Strides dense = dense_strides(source->type.tensor.shape);
  Strides strides;
  for (const int64_t axis : *perm) strides.push_back(dense[size_of_axis(axis)]);
  return make_stack(source, shape, strides);
}

MatrixStack result_stack(const Node& matmul, const StepBuilder& builder) {
  const Value* y = matmul.outputs[0];
  const Shape& shape = y->type.tensor.shape;
  const Node* transpose = transpose_behind(matmul, builder);
  if (transpose == nullptr) return make_stack(y, shape, dense_strides(shape));
  const Ints& perm = *transpose->find_attr<Ints>("perm");
  const Strides dense = dense_strides(transpose->outputs[0]->type.tensor.shape);
  Strides strides(shape.size());
  for (size_t axis = 0; axis < perm.size(); ++axis) {
    strides[size_of_axis(perm[axis])] = dense[axis];
  }
  return make_stack(transpose->outputs[0], shape, strides);
}

bool is_read_as_stack(const Node& transpose, const StepBuilder& builder) {
  if (row_moves(transpose, builder) == nullptr) return false;
  const std::vector<Use>& users = transpose.outputs[0]->users;
  return !users.empty() && std::ranges::all_of(users, [&](const Use& use) {
    return batch_shape(*use.node, builder).has_value();
  });
}

bool is_written_as_stack(const Node& transpose, const StepBuilder& builder) {
  if (transpose.op != "transpose") return false;
  const Node* matmul = transpose.inputs[0]->producer;
  return matmul != nullptr && batch_shape(*matmul, builder).has_value() &&
         transpose_behind(*matmul, builder) == &transpose;
}

}  // namespace hone::cpu
