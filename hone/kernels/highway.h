// What Highway's own dispatch may choose: what the other kernels may use.
#pragma once

#include <string_view>

namespace hone {

// Keeps Highway from instruction sets that HONE_CPU_FEATURES takes away. To be called before the
// first call of one of its variants.
void limit_highway();

// What its variants are run with here: "AVX3" for AVX-512, "AVX2", "SSE4", "NEON".
std::string_view highway_target();

}  // namespace hone
