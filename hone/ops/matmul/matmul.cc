// matmul(a, b) as NumPy defines it; see batch_product.h.

#include "hone/ops/matmul/batch_product.h"
#include "hone/ops/matmul/compute_view.h"
#include "hone/ops/matmul/matmul_quantized.h"
#include "hone/ops/matmul/matmul_tflite.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/integer.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr DTypeSet kMatmulTypes = kFloat | DTypeSet{DType::I32, DType::I64, DType::U32, DType::U64};

Result<std::vector<ValueType>> infer_matmul(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_matmul_quantized(in));
  for (size_t i = 0; i < 2; ++i) {
    const TensorType& operand = in.type(i);
    if (operand.dtype == DType::Undefined || operand.quantized()) continue;
    if (!kMatmulTypes.contains(operand.dtype)) {
      return unsupported("input ", i, " is ", operand.dtype, " without quantization");
    }
  }
  HONE_TRY(const TensorType type, product_type(in, in.dtype(0), 0, 1));
  return std::vector<ValueType>{type};
}

Cost cost_matmul(const InferContext& in) {
  return product_cost(in, 0, 1);
}

Status eval_matmul(EvalContext& in) {
  if (in.in(0).type().quantized()) return eval_matmul_quantized(in);
  const BatchProduct product(in.in(0).shape(), in.in(1).shape());
  if (!kFloat.contains(in.in(0).dtype())) {
    // Unsigned, so that sums wrap; the bits are those of the signed types.
    dispatch_by_size(in.in(0).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>) {
        product.run(raw<T>(in.in(0)), raw<T>(in.in(1)), mutable_raw<T>(in.out()));
      }
    });
    return Done{};
  }
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    ComputeOutput<T> y(in.out());
    product.run(ComputeInput<T>(in.in(0)).data(), ComputeInput<T>(in.in(1)).data(), y.data());
    y.store();
  });
  return Done{};
}

}  // namespace

extern const OpDef op_matmul = {
    .name = "matmul",
    .summary = "Matrix product with NumPy's broadcasting.",
    .kind = OpKind::Product,
    .integers = IntegerForm::Weights,
    .half = true,
    .inputs = {{"a", kMatmulTypes | kQuantized, 'T'}, {"b", kMatmulTypes | kQuantized, 'T'}},
    .quantized = true,
    .infer = infer_matmul,
    .cost = cost_matmul,
    .eval = eval_matmul,
    .onnx = {{"MatMul"}},
    .tflite = {{"BATCH_MATMUL", import_batch_matmul}},
    .cases = {"(f32[2,3,8], const f32[8,5])", "(f32[2,3,4], f32[2,4,5])", "(f32[4], f32[4,5])"},
};

}  // namespace hone
