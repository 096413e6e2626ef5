// Four channels at a time, in the compiler's own vectors: sums and differences need nothing else,
// and both NEON and SSE hold four floats.

#include <cstring>

#include "hone/kernels/winograd/winograd_tiles.h"

namespace hone {
namespace {

struct FourFloats {
  using Vec = float __attribute__((vector_size(16)));
  static constexpr size_t kLanes = 4;

  static Vec load(const float* p, size_t lanes) {
    Vec v = {};
    std::memcpy(&v, p, lanes == kLanes ? sizeof(Vec) : lanes * sizeof(float));
    return v;
  }
  static void store(float* p, Vec v, size_t lanes) {
    std::memcpy(p, &v, lanes == kLanes ? sizeof(Vec) : lanes * sizeof(float));
  }
  static Vec zero() { return Vec{}; }
  static Vec clamp(Vec v, float low, float high) {
    const Vec lows = {low, low, low, low};
    const Vec highs = {high, high, high, high};
    v = v < lows ? lows : v;
    return v > highs ? highs : v;
  }
};

}  // namespace

void winograd_input_f32_vec(const WinogradShape& shape, size_t first, size_t last, const float* x,
                            float* v) {
  winograd_input<FourFloats>(shape, first, last, x, v);
}

void winograd_output_f32_vec(const WinogradShape& shape, size_t first, size_t last,
                             const float* products, const WinogradFinish& finish, float* y) {
  winograd_output<FourFloats>(shape, first, last, products, finish, y);
}

}  // namespace hone
