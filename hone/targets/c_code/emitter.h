// What emitters share.
#pragma once

#include "hone/ops/conv/geometry.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/integer.h"
#include "hone/passes/match.h"
#include "hone/targets/c_code/plan.h"

namespace hone::c_code {

// Kernels are of int8 values with one scale. Unsupported names the type and what would do.
Status check_int8(const Value* value);
Status check_int8_operands(const Node& node, size_t inputs);

// Where the results of a node are cut.
Result<IntRange> output_range(const Node& node);

inline int32_t zero_of(const Value* value) {
  return value->type.tensor.quant->zero_point();
}

// "(hone_window){1, rows.in, 10, ..}": of steps whose `rows` are the window's.
std::string window_text(const Window& window, int64_t images, int64_t in_channels,
                        int64_t out_channels);
// What is done element by element: the rows of an image, and so many of what each of them has. A tensor
// that is no image of [batch, height, width, channels] has none.
std::optional<WindowAxis> plain_rows(const Shape& shape);
std::string count_text(const Shape& shape, int64_t count);
// Whether vectors scale sums below 2^30 so: hone_v_small_scaled.
inline bool scales_as_words(FixedPoint factor) {
  return factor.shift <= 0 && factor.shift >= -22;
}
// "(hone_operand){zero, multiplier, shift}".
std::string operand_text(int32_t zero, FixedPoint factor);

// Bytes side by side from which on copies by vectors pay.
inline constexpr int64_t kLeastHvxRun = 16;

// A resize that blends pixels.
Result<Step> emit_linear_resize(const Node& node, const EmitOptions& options);

}  // namespace hone::c_code
