#include "hone/ops/matmul/gemm_quantized.h"

#include "hone/ops/matmul/product.h"
#include "hone/ops/quant/weighted.h"

namespace hone {
namespace {

Channels columns_of(const EvalContext& in) {
  return {in.in(1).shape()[in.integer("transB") != 0 ? 0 : 1], 1};
}

// a * b, plus the bias of each column.
template <class Wide>
std::vector<Wide> sums_of(const EvalContext& in, const Wide* a, const Wide* b,
                          const std::vector<Wide>& bias) {
  const int64_t rows = in.in(0).shape()[0];
  const int64_t depth = in.in(0).shape()[1];
  const int64_t columns = columns_of(in).count;
  std::vector<Wide> sums(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < sums.size() && !bias.empty(); ++i) sums[i] = bias[i % bias.size()];
  if (sums.empty() || depth == 0) return sums;
  const bool transposed = in.integer("transB") != 0;
  multiply<Wide>({a, depth, 1}, {b, transposed ? 1 : columns, transposed ? depth : 1},
                 {sums.data(), columns, 1}, rows, depth, columns);
  return sums;
}

template <class Wide>
Status run_integer(EvalContext& in) {
  const std::vector<Wide> a = less_zero_points<Wide>(in.in(0));
  const std::vector<Wide> b = less_zero_points<Wide>(in.in(1));
  std::vector<Wide> bias;
  if (in.has(2)) bias = bias_of<Wide>(in.in(2));
  return store_sums(in, sums_of(in, a.data(), b.data(), bias), columns_of(in), ScaleProduct::Float);
}

}  // namespace

Status eval_gemm_integer(EvalContext& in) {
  return has_wide_bias(in) ? run_integer<uint64_t>(in) : run_integer<uint32_t>(in);
}

Status eval_gemm_hybrid(EvalContext& in) {
  const HybridRows rows = quantize_rows(in.in(0), in.in(0).shape()[0], HybridRange::Symmetric);
  const std::vector<uint32_t> b = less_zero_points<uint32_t>(in.in(1));
  store_hybrid(in, sums_of<uint32_t>(in, rows.values.data(), b.data(), {}), rows, columns_of(in));
  return Done{};
}

}  // namespace hone
