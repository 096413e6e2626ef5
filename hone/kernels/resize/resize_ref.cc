#include "hone/kernels/resize/resize_pixel.h"

namespace hone {

template <class T>
void resize_bilinear_ref(const ResizeArgs<T>& p, size_t first, size_t last) {
  for_each_resize_pixel(p, first, last, [&](const ResizePixel<T>& pixel, T* y) {
    for (size_t c = 0; c < p.channels; ++c) {
      float sum = pixel.weights[0] * float{pixel.x[0][c]};
      for (size_t k = 1; k < 4; ++k) sum += pixel.weights[k] * float{pixel.x[k][c]};
      y[c] = T(sum);
    }
  });
}

template void resize_bilinear_ref(const ResizeArgs<float>& args, size_t first, size_t last);
template void resize_bilinear_ref(const ResizeArgs<Half>& args, size_t first, size_t last);

}  // namespace hone
