#include "hone/kernels/plane_conv/plane_conv_x86.h"

namespace hone {

// 16 x 1, 14 x 2, 9 x 3 or 6 x 4 vectors of sums.
void plane_conv_avx512(const PlaneConvRow& row) {
  run_plane_conv<F32x16, 4>(row);
}

}  // namespace hone
