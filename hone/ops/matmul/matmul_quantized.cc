#include "hone/ops/matmul/matmul_quantized.h"

#include "hone/ops/matmul/batch_product.h"
#include "hone/ops/quant/weighted.h"

namespace hone {
namespace {

template <class Wide>
std::vector<Wide> sums_of(const EvalContext& in) {
  const std::vector<Wide> a = less_zero_points<Wide>(in.in(0));
  const std::vector<Wide> b = less_zero_points<Wide>(in.in(1));
  std::vector<Wide> sums(static_cast<size_t>(elements(in.out_type().tensor.shape)));
  BatchProduct(in.in(0).shape(), in.in(1).shape()).run(a.data(), b.data(), sums.data());
  return sums;
}

}  // namespace

Status check_matmul_quantized(const InferContext& in) {
  const TensorType& a = in.type(0);
  const TensorType& b = in.type(1);
  const TensorType& y = in.declared(0);
  if (!a.quantized() && !b.quantized()) return Done{};
  HONE_RETURN_IF_ERROR(check_quantized(in, 2, {}));
  if (a.dtype != y.dtype || a.dtype == DType::U8) {
    return unsupported("a product of quantized ", a.dtype, " to ", y.dtype);
  }
  if (a.dtype != DType::I16) return Done{};
  for (const TensorType* type : {&a, &b, &y}) {
    if (type->quant->zero_point() != 0) return unsupported("a product of i16 with a zero point");
  }
  return Done{};
}

Status eval_matmul_quantized(EvalContext& in) {
  Tensor& y = in.out();
  // The operands' scales are multiplied in single precision.
  const float product = scale_of(in.in(0)) * scale_of(in.in(1));
  const FixedPoint factor = fixed_point(double{product} / double{scale_of(y)});
  const int64_t zero_point = zero_point_of(y);
  const IntRange range = range_of(y.dtype());
  if (y.dtype() == DType::I16) {
    const std::vector<uint64_t> sums = sums_of<uint64_t>(in);
    const auto to = y.mutable_data<int16_t>();
    for (size_t i = 0; i < to.size(); ++i) {
      const int32_t scaled = scale_wide(static_cast<int64_t>(sums[i]), factor);
      to[i] = static_cast<int16_t>(range.clamp(scaled + zero_point));
    }
    return Done{};
  }
  const std::vector<uint32_t> sums = sums_of<uint32_t>(in);
  const auto to = y.mutable_data<int8_t>();
  for (size_t i = 0; i < to.size(); ++i) {
    const int32_t scaled = scale_by(static_cast<int32_t>(sums[i]), factor, in.options().rounding);
    to[i] = static_cast<int8_t>(range.clamp(scaled + zero_point));
  }
  return Done{};
}

}  // namespace hone
