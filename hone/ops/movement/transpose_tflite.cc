#include "hone/ops/movement/transpose_tflite.h"

#include <algorithm>

#include "hone/ops/movement/movement.h"

namespace hone {
namespace {

bool is_order(Ints perm, int64_t rank) {
  std::ranges::sort(perm);
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<int64_t>(i)) return false;
  }
  return static_cast<int64_t>(perm.size()) == rank;
}

}  // namespace

TensorType permuted(const TensorType& type, const Ints& perm) {
  TensorType result = type;
  for (size_t i = 0; i < perm.size(); ++i) {
    result.shape[i] = type.shape[static_cast<size_t>(perm[i])];
  }
  if (type.quantized() && !type.quant->per_tensor()) {
    Quantization moved = *type.quant;
    moved.axis = static_cast<int>(std::ranges::find(perm, moved.axis) - perm.begin());
    result.quant = std::make_shared<Quantization>(std::move(moved));
  }
  return result;
}

Tensor transposed(const Tensor& x, const Ints& perm) {
  const std::vector<int64_t> dense = strides_of(x.shape());
  std::vector<int64_t> strides;
  for (const int64_t axis : perm) strides.push_back(dense[static_cast<size_t>(axis)]);
  Tensor y(permuted(x.type(), perm));
  const Shape shape = y.shape();
  copy_strided(x, 0, shape, std::move(strides), y);
  return y;
}

Value* add_transposed(TfliteImport& in, Value* value, const Ints& perm) {
  if (value->constant) {
    return in.graph().add_constant(value->name, transposed(*value->constant, perm));
  }
  return in.add("transpose", {value}, permuted(value->type.tensor, perm), {{"perm", perm}});
}

Status import_transpose(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_TRY(Ints perm, in.constant_ints(1));
  const TensorType& x = in.in_type(0);
  if (x.ranked) {
    for (int64_t& axis : perm) axis += axis < 0 ? x.rank() : 0;
    if (!is_order(perm, x.rank())) return bad_input("[", join(perm), "] is no order of ", x);
  }
  in.finish("transpose", {in.in(0)}, {{"perm", perm}});
  return Done{};
}

}  // namespace hone
