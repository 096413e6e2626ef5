#pragma once

#include <vector>

#include "hone/ops/context.h"

namespace hone {

// For infer: input, output and axis are such as TFLite's integer softmax takes.
Status check_softmax_quantized(const InferContext& in);
// int8 and uint8 to themselves, int8 to int16, int16 to itself.
Status eval_softmax_quantized(EvalContext& in);

// The same for log_softmax: int8 and uint8 to themselves.
Status check_log_softmax_quantized(const InferContext& in);
Status eval_log_softmax_quantized(EvalContext& in);

// How the difference of a stored value to the largest of its row becomes a fixed-point number with
// kDifferenceBits integer bits.
inline constexpr int kDifferenceBits = 5;
inline constexpr int kSumBits = 12;  // Integer bits of the sum of a row.
struct DifferenceScaling {
  FixedPoint factor;
  int32_t lowest;  // Smaller differences count as minus infinity.
};
DifferenceScaling difference_scaling(float scale, Rounding rounding);

// Of bytes of that scale, by how far they lie below the largest of their row: exponentials with no
// integer bits; 0 where they count as infinitely far.
std::vector<int32_t> byte_exponentials(float scale, Rounding rounding);

}  // namespace hone
