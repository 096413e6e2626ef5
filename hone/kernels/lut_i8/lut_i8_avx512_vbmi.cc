// Compiled with -mavx512vbmi; reached only through lut_i8_variants().
#if defined(__x86_64__)
#include <cstddef>
#include <cstdint>

#include "hone/kernels/x86_vectors.h"

namespace hone {

void lut_i8_avx512_vbmi(size_t n, const uint8_t* table, const uint8_t* x, uint8_t* y) {
  const ByteTable lookup(table);
  size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    _mm512_storeu_si512(y + i, lookup(_mm512_loadu_si512(x + i)));
  }
  if (i == n) return;
  const __mmask64 rest = first_lanes64(n - i);
  _mm512_mask_storeu_epi8(y + i, rest, lookup(_mm512_maskz_loadu_epi8(rest, x + i)));
}

}  // namespace hone
#endif
