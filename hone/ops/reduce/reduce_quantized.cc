#include "hone/ops/reduce/reduce_quantized.h"

#include <bit>
#include <cmath>

#include "hone/ops/quant/integer.h"
#include "hone/ops/row_walk.h"

namespace hone {
namespace {

struct Reduction {
  Shape kept;  // The shape with reduced axes of extent 1.
  int64_t count = 1;
};

Reduction reduction_of(const Shape& shape, const std::vector<bool>& reduced) {
  Reduction result{shape, 1};
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!reduced[i]) continue;
    result.count *= shape[i];
    result.kept[i] = 1;
  }
  return result;
}

template <class T>
std::vector<uint32_t> sums_of(const Tensor& x, const Shape& kept) {
  std::vector<uint32_t> sums(static_cast<size_t>(elements(kept)));
  const T* from = x.data<T>().data();
  for (RowWalk walk(x.shape(), {broadcast_strides(kept, x.shape())}); !walk.done(); walk.next()) {
    for (int64_t i = 0; i < walk.n(); ++i) {
      sums[static_cast<size_t>(walk.at(0, i))] += static_cast<uint32_t>(*from++);
    }
  }
  return sums;
}

FixedPoint sum_factor(const TensorType& x, const TensorType& y) {
  return fixed_point(double{x.quant->scale()} / double{y.quant->scale()});
}

// factor / count. As many bits as count has go from the shift to the multiplier first, but not so
// many that the shift passes -31.
FixedPoint divided(FixedPoint factor, int64_t count) {
  int bits = 63 - std::countl_zero(static_cast<uint64_t>(count));
  bits = std::min({bits, 32, 31 + factor.shift});
  const int64_t multiplier = (int64_t{factor.multiplier} << bits) / count;
  return {static_cast<int32_t>(multiplier), factor.shift - bits};
}

Status run_reduce_quantized(EvalContext& in, const std::vector<bool>& reduced, bool mean) {
  const Tensor& x = in.in(0);
  Tensor& y = in.out();
  if (x.dtype() != y.dtype()) return unsupported("from ", x.dtype(), " to ", y.dtype());
  if (y.elements() == 0 || x.elements() == 0) return Done{};
  const Reduction reduction = reduction_of(x.shape(), reduced);
  const FixedPoint factor =
      mean ? mean_factor(x.type(), y.type(), reduction.count) : sum_factor(x.type(), y.type());
  const auto offset = static_cast<uint32_t>(zero_point_of(x) * reduction.count);
  const IntRange range = range_of(y.dtype());
  dispatch_quantized(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::vector<uint32_t> sums = sums_of<T>(x, reduction.kept);
    const auto to = y.mutable_data<T>();
    for (size_t i = 0; i < to.size(); ++i) {
      const auto sum = static_cast<int32_t>(sums[i] - offset);
      const int64_t scaled = scale_by(sum, factor, in.options().rounding);
      to[i] = static_cast<T>(range.clamp(scaled + zero_point_of(y)));
    }
  });
  return Done{};
}

}  // namespace

FixedPoint mean_factor(const TensorType& x, const TensorType& y, int64_t count) {
  return divided(sum_factor(x, y), count);
}

Status eval_sum_quantized(EvalContext& in, const std::vector<bool>& reduced) {
  return run_reduce_quantized(in, reduced, false);
}

Status eval_mean_quantized(EvalContext& in, const std::vector<bool>& reduced) {
  return run_reduce_quantized(in, reduced, true);
}

Status eval_prod_quantized(EvalContext& in, const std::vector<bool>& reduced) {
  const Tensor& x = in.in(0);
  Tensor& y = in.out();
  if (x.dtype() != y.dtype() || x.dtype() == DType::U8) {
    return unsupported("a product from quantized ", x.dtype(), " to ", y.dtype());
  }
  if (x.elements() == 0) return unsupported("a product of no quantized values");
  const Reduction reduction = reduction_of(x.shape(), reduced);
  const double root = std::pow(double{scale_of(y)}, 1.0 / static_cast<double>(reduction.count));
  const FixedPoint factor = fixed_point(double{scale_of(x)} / root);
  if (factor.shift > 7) return unsupported("a product of a scale of ", scale_of(x));
  const IntRange range = range_of(y.dtype());
  dispatch<int8_t, int16_t>(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto to = y.mutable_data<T>();
    std::vector<int32_t> products(to.size());
    std::vector<bool> started(to.size());
    const T* from = x.data<T>().data();
    for (RowWalk walk(x.shape(), {broadcast_strides(reduction.kept, x.shape())}); !walk.done();
         walk.next()) {
      for (int64_t i = 0; i < walk.n(); ++i) {
        const auto o = static_cast<size_t>(walk.at(0, i));
        const int64_t steps = int64_t{*from++} - zero_point_of(x);
        products[o] =
            static_cast<int32_t>(started[o] ? scale_wide(products[o] * steps, factor) : steps);
        started[o] = true;
      }
    }
    for (size_t i = 0; i < to.size(); ++i) {
      const int64_t scaled = scale_wide(products[i], factor);
      to[i] = static_cast<T>(range.clamp(scaled + zero_point_of(y)));
    }
  });
  return Done{};
}

}  // namespace hone
