#include "hone/kernels/plane_conv/plane_conv_x86.h"

namespace hone {

// 14 x 1 or 6 x 2 vectors of sums.
void plane_conv_avx2(const PlaneConvRow& row) {
  run_plane_conv<F32x8, 2>(row);
}

}  // namespace hone
