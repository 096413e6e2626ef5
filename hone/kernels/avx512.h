// <immintrin.h> for sources that use AVX-512, without the warnings of g++ 12, which takes the
// undefined operands of its own intrinsics for mistakes (GCC bug 105593). Quiets the whole source.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
