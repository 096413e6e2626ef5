#include "hone/kernels/resize/resize.h"

#include <cstring>

#include "hone/kernels/hwy_targets.h"

namespace hone {

template <class T>
void resize_bilinear_ref(const ResizeArgs<T>& args, size_t first, size_t last);
void resize_bilinear_f32_hwy(const ResizeArgs<float>& args, size_t first, size_t last);
void resize_bilinear_f16_hwy(const ResizeArgs<Half>& args, size_t first, size_t last);

std::span<const KernelVariant<ResizeBilinear<float>>> resize_bilinear_f32_variants() {
  static constexpr KernelVariant<ResizeBilinear<float>> kVariants[] = {
      {"hwy", kHwy, resize_bilinear_f32_hwy},
      {"ref", kNoFeature, resize_bilinear_ref<float>},
  };
  return kVariants;
}

std::span<const KernelVariant<ResizeBilinear<Half>>> resize_bilinear_f16_variants() {
  static constexpr KernelVariant<ResizeBilinear<Half>> kVariants[] = {
      {"hwy", kHwyF16, resize_bilinear_f16_hwy},
      {"ref", kNoFeature, resize_bilinear_ref<Half>},
  };
  return kVariants;
}

void resize_nearest(const ResizeArgs<std::byte>& p, size_t first, size_t last) {
  std::byte* y = p.y + first * p.columns.size() * p.y_stride;
  for (size_t row = first; row < last; ++row) {
    const size_t image = row / p.rows.size() * p.in_height;
    const size_t from = image + p.rows[row % p.rows.size()].low;
    for (const ResizeTap& column : p.columns) {
      std::memcpy(y, p.x + (from * p.in_width + column.low) * p.channels, p.channels);
      y += p.y_stride;
    }
  }
}

}  // namespace hone
