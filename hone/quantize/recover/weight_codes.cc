#include "hone/quantize/recover/weight_codes.h"

#include <algorithm>

#include "hone/ops/quant/scales.h"
#include "hone/passes/match.h"

namespace hone {
namespace {

struct CodeRange {
  int32_t low;
  int32_t high;
};

Result<CodeRange> code_range_of(DType dtype) {
  if (dtype == DType::I8) return CodeRange{-128, 127};
  if (dtype == DType::U8) return CodeRange{0, 255};
  if (dtype == DType::I4) return CodeRange{-8, 7};
  if (dtype == DType::U4) return CodeRange{0, 15};
  return unsupported("weights of ", dtype, ", expected int8, uint8, int4 or uint4");
}

}  // namespace

Result<WeightCodes> read_codes(const Node& dequantize) {
  const Tensor& stored = *dequantize.inputs[0]->constant;
  const Tensor& scale = *dequantize.inputs[1]->constant;
  HONE_TRY(CodeRange range, code_range_of(stored.dtype()));
  const NodeContext context(*find_op(dequantize.op), dequantize);
  HONE_TRY(const ScaleMap map, scale_map(context, stored.shape(), scale.shape()));
  const std::vector<int64_t> values = to_ints(stored);
  const std::vector<double> scales = to_doubles(scale);
  std::vector<int64_t> zeros(scales.size());
  if (const Tensor* zero = constant_of(dequantize, 2)) zeros = to_ints(*zero);

  WeightCodes codes;
  codes.codes.assign(values.begin(), values.end());
  codes.scales.resize(values.size());
  codes.zeros.resize(values.size());
  for_each_scaled(map, [&](size_t i, size_t s) {
    codes.scales[i] = static_cast<float>(scales[s]);
    codes.zeros[i] = static_cast<int32_t>(zeros[s]);
  });
  // Weights without zero point are symmetric for integer engines: -128 is used only where it was.
  const bool symmetric = std::ranges::all_of(zeros, [](int64_t zero) { return zero == 0; });
  if (symmetric && range.low < 0) {
    range.low = std::min(-range.high, *std::ranges::min_element(codes.codes));
  }
  codes.low = range.low;
  codes.high = range.high;
  return codes;
}

void write_codes(Graph& graph, Node& dequantize, const std::vector<int32_t>& codes) {
  const Value* old = dequantize.inputs[0];
  const TensorType type = old->constant->type();
  std::vector<int8_t> bytes(codes.size());
  std::ranges::transform(codes, bytes.begin(), [](int32_t c) { return static_cast<int8_t>(c); });
  Tensor stored(type);
  if (type.dtype == DType::I4 || type.dtype == DType::U4) {
    stored = pack_small(type, bytes);
  } else {
    std::ranges::copy(std::as_bytes(std::span(bytes)), stored.mutable_bytes().begin());
  }
  set_constant(graph, dequantize, 0, old->name + ".rounded", std::move(stored));
}

}  // namespace hone
