#pragma once

#include "hone/kernels/activate/activate.h"

namespace hone::cpu {

// The fastest activation kernel of an element type.
template <class T>
Activate<T> best_activate();
template <>
inline ActivateF32 best_activate<float>() {
  return best_variant(activate_f32_variants()).run;
}
template <>
inline ActivateF16 best_activate<Half>() {
  return best_variant(activate_f16_variants()).run;
}

}  // namespace hone::cpu
