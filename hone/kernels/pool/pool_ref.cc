#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "hone/kernels/pool/pool_window.h"

namespace hone {
namespace {

template <class T>
constexpr bool kInteger = std::is_integral_v<T>;

// Calls fn(value) for every element of one channel under the window.
template <class T, class Fn>
void each(const PoolWindow<T>& window, size_t channel, Fn fn) {
  for (size_t h = 0; h < window.height; ++h) {
    for (size_t w = 0; w < window.width; ++w) {
      fn(window.x[h * window.row_step + w * window.pixel_step + channel]);
    }
  }
}

template <class T>
double largest(const PoolWindow<T>& window, size_t channel) {
  double max = -std::numeric_limits<double>::infinity();
  each(window, channel, [&](T value) {
    const auto x = static_cast<double>(value);
    if (x > max || std::isnan(x)) max = x;
  });
  return max;
}

template <class T>
double mean(const PoolWindow<T>& window, T zero, size_t channel) {
  if constexpr (kInteger<T>) {
    int64_t sum = static_cast<int64_t>(window.padding) * zero;
    each(window, channel, [&](T value) { sum += value; });
    const auto n = static_cast<int64_t>(window.divisor);
    return static_cast<double>((sum > 0 ? sum + n / 2 : sum - n / 2) / n);
  } else {
    double sum = 0;
    each(window, channel, [&](T value) { sum += static_cast<double>(float{value}); });
    return sum / static_cast<double>(window.divisor);
  }
}

}  // namespace

template <class T>
void pool_ref_pixel(const PoolArgs<T>& p, const PoolWindow<T>& window, T* y) {
  for (size_t c = 0; c < p.channels; ++c) {
    double value = p.average ? mean(window, p.zero, c) : largest(window, c);
    value = std::min<double>(std::max<double>(value, p.low), p.high);
    if constexpr (kInteger<T>) {
      y[c] = static_cast<T>(value);
    } else {
      y[c] = T(static_cast<float>(value));
    }
  }
}

template <class T>
void pool_ref(const PoolArgs<T>& p, size_t first, size_t last) {
  for_each_pool_window(p, first, last,
                       [&](const PoolWindow<T>& window, T* y) { pool_ref_pixel(p, window, y); });
}

template void pool_ref_pixel(const PoolArgs<int8_t>& p, const PoolWindow<int8_t>& window,
                             int8_t* y);
template void pool_ref_pixel(const PoolArgs<uint8_t>& p, const PoolWindow<uint8_t>& window,
                             uint8_t* y);
template void pool_ref(const PoolArgs<float>& args, size_t first, size_t last);
template void pool_ref(const PoolArgs<Half>& args, size_t first, size_t last);
template void pool_ref(const PoolArgs<int8_t>& args, size_t first, size_t last);
template void pool_ref(const PoolArgs<uint8_t>& args, size_t first, size_t last);

}  // namespace hone
