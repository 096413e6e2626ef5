// The sums of NEON's instructions, for roof_loop.h.
#pragma once

#include <arm_neon.h>

#include <cstdint>

#include "hone/kernels/roof/roof_loop.h"

namespace hone {
namespace {

template <class E>
struct FloatSums : RoofOp<E> {
  using Vec = float32x4_t;
  static Vec load_sum(const int32_t* x) { return vreinterpretq_f32_s32(vld1q_s32(x)); }
  static double total(Vec sum) { return static_cast<double>(vaddvq_f32(sum)); }
};

struct Int32Sums : RoofOp<int8_t> {
  using Vec = int32x4_t;
  static Vec load_sum(const int32_t* x) { return vld1q_s32(x); }
  static double total(Vec sum) { return static_cast<double>(vaddlvq_s32(sum)); }
};

}  // namespace
}  // namespace hone
