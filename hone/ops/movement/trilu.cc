// The upper or lower triangle of matrices, from the diagonal `k` above the main one; zero
// elsewhere.

#include "hone/ops/movement/movement.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_trilu(const InferContext& in) {
  const TensorType& x = in.type(0);
  if (x.ranked && x.rank() < 2) return bad_input("the input is ", x, ", expected rank 2 or more");
  if (in.has(1) && in.type(1).known() && in.type(1).elements() != 1) {
    return bad_input("k is ", in.type(1), ", expected a scalar");
  }
  return infer_same(in);
}

Status eval_trilu(EvalContext& in) {
  const Tensor& x = in.in(0);
  if (in.out().elements() == 0) return Done{};
  const int64_t given = in.has(1) ? to_ints(in.in(1))[0] : 0;
  const int64_t k = std::clamp(given, -kLargestExtent, kLargestExtent);
  const bool upper = in.integer("upper") != 0;
  const int64_t columns = x.shape().back();
  const int64_t rows = x.shape()[x.shape().size() - 2];
  dispatch_by_size(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = raw<T>(x);
    T* to = mutable_raw<T>(in.out());
    for (int64_t line = 0; line < x.elements() / columns; ++line) {
      const int64_t diagonal = line % rows + k;
      for (int64_t column = 0; column < columns; ++column) {
        const bool inside = upper ? column >= diagonal : column <= diagonal;
        if (inside) to[line * columns + column] = from[line * columns + column];
      }
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_trilu = {
    .name = "trilu",
    .summary = "The upper or lower triangle of matrices.",
    .inputs = {{"x", kAny}, {"k", DTypeSet{DType::I64}, 0, kOptional}},
    .attrs = {{"upper", int64_t{1}}},
    .infer = infer_trilu,
    .eval = eval_trilu,
    .onnx = {{"Trilu"}},
    .cases = {"(f32[3,4])", "(f32[2,3,3], i64[]{-1}) upper=0"},
};

}  // namespace hone
