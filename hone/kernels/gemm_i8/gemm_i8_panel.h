// What a panel of packed weights consists of: a header, three rows of constants, weights.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hone/tensor/fixed_point.h"

namespace hone {

struct alignas(64) GemmI8PanelHeader {
  Rounding rounding;
  int32_t zero_point;
  int32_t low;
  int32_t high;
  // Whether low and high cut off more than the element type does.
  bool clamps;
  // Whether, for whatever the activations hold, the rounding is Double or Single, every shift is to
  // the right, no sum wraps and every output before the clamp is within 16 bits. Then with s =
  // -shift
  //   y = clamp(((high_mul(sum, multiplier) - (sum < 0) + 2^(s-1)) >> s) + zero_point)
  // or, rounding once, without (sum < 0) and with a high_mul that cuts off; where nothing
  // saturates: the addition is part of a rounding shift, and a narrowing move does.
  //
  // Why: rounding_divide_by_pot(x, s) is (x - (x < 0) + 2^(s-1)) >> s for s > 0. Here (sum < 0) may
  // stand for (x < 0), which differ only where x is 0 and the result 0 either way.
  bool narrow;
  // Whether the rounding is Double or Single and every shift is to the right by 2 to 22.
  bool quick;
};

// Constants are int32 each, `copies` * nr of them to a row: with two copies, o0 o1 o0 o1 o2 o3 ...
struct GemmI8Panel {
  const GemmI8PanelHeader* header;
  const int32_t* bias;  // With -a_zero * sum of weights folded in.
  const int32_t* multipliers;
  const int32_t* shifts;  // -31 .. 31, with Rounding::Single to 62.
  const int8_t* weights;  // [k / kr][nr][kr], k rounded up to k_step with zeros.

  GemmI8Panel(const void* panel, size_t constants)
      : header(static_cast<const GemmI8PanelHeader*>(panel)),
        bias(reinterpret_cast<const int32_t*>(header + 1)),
        multipliers(bias + constants),
        shifts(multipliers + constants),
        weights(reinterpret_cast<const int8_t*>(shifts + constants)) {}
};

}  // namespace hone
