#include "hone/kernels/winograd/winograd.h"

#include "hone/kernels/hwy_targets.h"
#include "hone/kernels/winograd/winograd_transforms.h"

namespace hone {

void winograd_input_f32_ref(const WinogradShape& shape, size_t first, size_t last, const float* x,
                            float* v);
void winograd_output_f32_ref(const WinogradShape& shape, size_t first, size_t last,
                             const float* products, const WinogradFinish<float>& finish, float* y);
void winograd_input_f16_ref(const WinogradShape& shape, size_t first, size_t last, const Half* x,
                            float* v);
void winograd_output_f16_ref(const WinogradShape& shape, size_t first, size_t last,
                             const float* products, const WinogradFinish<Half>& finish, Half* y);
void winograd_input_f32_hwy(const WinogradShape& shape, size_t first, size_t last, const float* x,
                            float* v);
void winograd_output_f32_hwy(const WinogradShape& shape, size_t first, size_t last,
                             const float* products, const WinogradFinish<float>& finish, float* y);
void winograd_input_f16_hwy(const WinogradShape& shape, size_t first, size_t last, const Half* x,
                            float* v);
void winograd_output_f16_hwy(const WinogradShape& shape, size_t first, size_t last,
                             const float* products, const WinogradFinish<Half>& finish, Half* y);

std::span<const KernelVariant<WinogradF32>> winograd_f32_variants() {
  static constexpr KernelVariant<WinogradF32> kVariants[] = {
      {"hwy", kHwy, {winograd_input_f32_hwy, winograd_output_f32_hwy}},
      {"ref", kNoFeature, {winograd_input_f32_ref, winograd_output_f32_ref}},
  };
  return kVariants;
}

std::span<const KernelVariant<WinogradF16>> winograd_f16_variants() {
  static constexpr KernelVariant<WinogradF16> kVariants[] = {
      {"hwy", kHwyF16, {winograd_input_f16_hwy, winograd_output_f16_hwy}},
      {"ref", kNoFeature, {winograd_input_f16_ref, winograd_output_f16_ref}},
  };
  return kVariants;
}

namespace {

template <size_t m>
void transform_weights(const WinogradShape& shape, const float* w, float* u) {
  constexpr size_t n = m + 2;
  const auto& g = Winograd1d<m>::kWeights;
  for (size_t o = 0; o < shape.outputs; ++o) {
    for (size_t c = 0; c < shape.inputs; ++c) {
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
          double sum = 0;
          for (size_t ky = 0; ky < 3; ++ky) {
            for (size_t kx = 0; kx < 3; ++kx) {
              sum += g[i][ky] * g[j][kx] *
                     static_cast<double>(w[((o * 3 + ky) * 3 + kx) * shape.inputs + c]);
            }
          }
          u[((i * n + j) * shape.outputs + o) * shape.inputs + c] = static_cast<float>(sum);
        }
      }
    }
  }
}

}  // namespace

void winograd_weights(const WinogradShape& shape, const float* w, float* u) {
  if (shape.m == 2) return transform_weights<2>(shape, w, u);
  transform_weights<4>(shape, w, u);
}

}  // namespace hone
