#pragma once

#include "hone/targets/target.h"

namespace hone::cpu {

// The precision that floats are computed in where `asked` is wanted: that, or F32 where this CPU
// has no kernels for it, since the next better one is never wrong and references are never fast.
Precision kernel_precision(Precision asked);

// Whether it would be as asked, had HONE_CPU_FEATURES taken nothing away.
bool has_precision_by_itself(Precision asked);

// Whether products of halves are those of halves here, not of the floats that they are turned into.
bool multiplies_halves();

}  // namespace hone::cpu
