#include "hone/ops/pool/pool_quantized.h"

#include <cmath>

#include "hone/ops/quant/integer.h"

namespace hone {

Status check_pool_quantized(const InferContext& in, DTypeSet plain) {
  HONE_RETURN_IF_ERROR(check_quantized(in, 1, plain));
  const TensorType& x = in.type(0);
  if (!x.quantized()) return Done{};
  const TensorType& y = in.declared(0);
  // TFLite's own tolerance.
  const bool same = x.dtype == y.dtype && x.quant->zero_point() == y.quant->zero_point() &&
                    std::abs(x.quant->scale() - y.quant->scale()) <= 1e-6f;
  if (!same) return unsupported("a pool whose output is quantized otherwise than its input");
  return Done{};
}

Status eval_average_pool_quantized(EvalContext& in, const PoolGeometry& pool) {
  const bool count_padding = in.integer("count_include_pad") != 0;
  const int64_t zero = in.in(0).type().quant->zero_point();
  dispatch_quantized(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = in.in(0).data<T>().data();
    T* y = in.out().template mutable_data<T>().data();
    for_each_window(pool, [&](const PoolWindow& at) {
      if (at.empty()) {
        y[at.out] = static_cast<T>(zero);
        return;
      }
      const int64_t count = count_padding ? at.count_with_padding() : at.count();
      int64_t sum = (count - at.count()) * zero;
      at.each([&](int64_t offset, int64_t, int64_t, int64_t) { sum += x[offset]; });
      y[at.out] = static_cast<T>((sum > 0 ? sum + count / 2 : sum - count / 2) / count);
    });
  });
  return clamp_quantized(in.out(), in.text("activation"));
}

Status clamp_quantized(Tensor& y, const std::string& activation) {
  if (activation.empty()) return Done{};
  HONE_TRY(const IntRange range, activation_range(activation, y.type()));
  dispatch_quantized(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& value : y.mutable_data<T>()) value = static_cast<T>(range.clamp(value));
  });
  return Done{};
}

}  // namespace hone
