#include <algorithm>
#include <cstring>

#include "hone/kernels/depthwise/depthwise.h"

namespace hone {
namespace {

// Calls visit(x offset, w offset) for the taps of channel 0 of an output that
// lie in the image.
template <class Visit>
void for_each_tap(const DepthwiseShape& s, size_t oy, size_t ox, Visit visit) {
  for (size_t ky = 0; ky < s.kernel_h; ++ky) {
    const size_t iy = oy * s.stride_h + ky * s.dilation_h - s.pad_top;
    if (iy >= s.in_h) continue;  // Also above the image, where iy has wrapped around.
    for (size_t kx = 0; kx < s.kernel_w; ++kx) {
      const size_t ix = ox * s.stride_w + kx * s.dilation_w - s.pad_left;
      if (ix >= s.in_w) continue;
      visit((iy * s.in_w + ix) * s.channels, (ky * s.kernel_w + kx) * s.channels);
    }
  }
}

size_t weight_count(const DepthwiseShape& s) {
  return s.kernel_h * s.kernel_w * s.channels;
}

// Packed: the bias, then the weights.
template <class T>
size_t packed_bytes_float(const DepthwiseShape& s) {
  return (s.channels + weight_count(s)) * sizeof(T);
}

template <class T>
void pack_float(const DepthwiseShape& s, const T* weights, const T* bias, void* packed) {
  T* to = static_cast<T*>(packed);
  for (size_t c = 0; c < s.channels; ++c) to[c] = bias != nullptr ? bias[c] : T(0.0f);
  std::copy_n(weights, weight_count(s), to + s.channels);
}

// Sums in float, rounded once at the end.
template <class T>
void run_float(const DepthwiseShape& s, size_t row_begin, size_t row_end, const T* x,
               const void* packed, const Activation& activation, Activate<T> activate, T* y) {
  const T* bias = static_cast<const T*>(packed);
  const T* w = bias + s.channels;
  const bool clamps = activation.kind == Activation::Kind::Clamp;
  for (size_t oy = row_begin; oy < row_end; ++oy) {
    for (size_t ox = 0; ox < s.out_w; ++ox) {
      for (size_t c = 0; c < s.channels; ++c) {
        float sum = bias[c];
        for_each_tap(s, oy, ox, [&](size_t xi, size_t wi) {
          sum += static_cast<float>(x[xi + c]) * static_cast<float>(w[wi + c]);
        });
        if (clamps) sum = std::min(std::max(sum, activation.low), activation.high);
        y[(oy * s.out_w + ox) * s.channels + c] = T(sum);
      }
    }
    T* row = y + oy * s.out_w * s.channels;
    const size_t size = s.out_w * s.channels;
    if (!clamps) activate(activation, 1, size, row, size, row, size);
  }
}

// Packed: this, then bias, multipliers and shifts by channel, then the weights.
struct IntegerHeader {
  Rounding rounding;
  int32_t x_zero_point, zero_point, low, high;
};

size_t packed_bytes_integer(const DepthwiseShape& s) {
  return sizeof(IntegerHeader) + 3 * s.channels * sizeof(int32_t) + s.copies * weight_count(s);
}

void pack_integer(const DepthwiseShape& s, const int8_t* weights, const int32_t* bias,
                  int32_t x_zero_point, const Requantization& q, void* packed) {
  IntegerHeader* header = static_cast<IntegerHeader*>(packed);
  *header = {q.rounding, x_zero_point, q.zero_point, q.low, q.high};
  int32_t* to = reinterpret_cast<int32_t*>(header + 1);
  for (size_t c = 0; c < s.channels; ++c) *to++ = bias != nullptr ? bias[c] : 0;
  to = std::copy_n(q.multipliers, s.channels, to);
  to = std::copy_n(q.shifts, s.channels, to);
  std::memcpy(to, weights, s.copies * weight_count(s));
}

size_t scratch_bytes_integer(const DepthwiseShape&) {
  return 0;
}

template <class T>
void run_integer(const DepthwiseShape& s, size_t row_begin, size_t row_end, const T* x,
                 const void* packed, T* y, void*) {
  const IntegerHeader& h = *static_cast<const IntegerHeader*>(packed);
  const int32_t* bias = reinterpret_cast<const int32_t*>(&h + 1);
  const int32_t* multipliers = bias + s.channels;
  const int32_t* shifts = multipliers + s.channels;
  const int8_t* w = reinterpret_cast<const int8_t*>(shifts + s.channels);
  const size_t set = weight_count(s);
  for (size_t oy = row_begin; oy < row_end; ++oy) {
    for (size_t ox = 0; ox < s.out_w; ++ox) {
      for (size_t c = 0; c < s.channels; ++c) {
        auto sum = static_cast<uint32_t>(bias[c]);
        for_each_tap(s, oy, ox, [&](size_t xi, size_t wi) {
          int32_t weight = 0;
          for (size_t copy = 0; copy < s.copies; ++copy) weight += w[copy * set + wi + c];
          sum += static_cast<uint32_t>((x[xi + c] - h.x_zero_point) * weight);
        });
        const int64_t scaled =
            scale_by(static_cast<int32_t>(sum), {multipliers[c], shifts[c]}, h.rounding);
        y[(oy * s.out_w + ox) * s.channels + c] =
            static_cast<T>(std::clamp<int64_t>(scaled + h.zero_point, h.low, h.high));
      }
    }
  }
}

}  // namespace

extern const DepthwiseF32 depthwise_f32_ref = {packed_bytes_float<float>, pack_float<float>,
                                               run_float<float>};
extern const DepthwiseF16 depthwise_f16_ref = {packed_bytes_float<Half>, pack_float<Half>,
                                               run_float<Half>};
extern const DepthwiseI8 depthwise_i8_ref = {packed_bytes_integer, pack_integer,
                                             scratch_bytes_integer, run_integer<int8_t>};
extern const DepthwiseU8 depthwise_u8_ref = {packed_bytes_integer, pack_integer,
                                             scratch_bytes_integer, run_integer<uint8_t>};

}  // namespace hone
