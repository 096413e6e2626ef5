#include "hone/kernels/winograd/winograd_tiles.h"

namespace hone {
namespace {

// One channel at a time.
struct Plain {
  using Vec = float;
  static constexpr size_t kLanes = 1;
  static float load(const float* p, size_t) { return *p; }
  static void store(float* p, float v, size_t) { *p = v; }
  static float zero() { return 0; }
  static float clamp(float v, float low, float high) { return std::min(std::max(v, low), high); }
};

}  // namespace

void winograd_input_f32_ref(const WinogradShape& shape, size_t first, size_t last, const float* x,
                            float* v) {
  winograd_input<Plain>(shape, first, last, x, v);
}

void winograd_output_f32_ref(const WinogradShape& shape, size_t first, size_t last,
                             const float* products, const WinogradFinish& finish, float* y) {
  winograd_output<Plain>(shape, first, last, products, finish, y);
}

}  // namespace hone
