#include <algorithm>
#include <cstring>
#include <limits>

#include "hone/kernels/gemm_i8/gemm_i8.h"
#include "hone/kernels/gemm_i8/gemm_i8_panel.h"

namespace hone {
namespace {

constexpr size_t kMaxColumns = 64;
constexpr size_t kConstantRows = 3;
constexpr int64_t kMin32 = std::numeric_limits<int32_t>::min();
constexpr int64_t kMax32 = std::numeric_limits<int32_t>::max();

// One output channel of a panel.
struct Channel {
  int32_t bias = 0;
  int32_t multiplier = 0;
  int32_t shift = -2;  // Of the padding; does not stand in the way of `narrow` and `quick`.
};

bool is_quick(const Channel& channel) {
  return channel.shift >= -22 && channel.shift <= -2;
}

// The least and the largest value a sum can take. Saturated far outside 32 bits.
struct SumRange {
  int64_t low;
  int64_t high;
};

bool is_narrow(const SumRange& sums, const Channel& channel, int64_t zero_point,
               Rounding rounding) {
  if (channel.shift >= 0) return false;
  if (sums.low < kMin32 || sums.high > kMax32) return false;
  const auto at = [&](int64_t sum) {
    return int64_t{
        scale_by(static_cast<int32_t>(sum), {channel.multiplier, channel.shift}, rounding)};
  };
  return at(sums.low) + zero_point >= std::numeric_limits<int16_t>::min() &&
         at(sums.high) + zero_point <= std::numeric_limits<int16_t>::max();
}

// Sets `narrow` to false where the channel is not.
template <class A>
Channel channel_of(const GemmI8Kernel<A>& kernel, const GemmI8Weights& weights, size_t o,
                   bool* narrow) {
  const size_t k = weights.taps * weights.depth;
  const int64_t a_low = std::numeric_limits<A>::min() - weights.a_zero;
  const int64_t a_high = std::numeric_limits<A>::max() - weights.a_zero;
  const int64_t bias = weights.bias != nullptr ? weights.bias[o] : 0;
  SumRange range{bias, bias};
  int64_t sum = 0;
  for (size_t i = 0; i < k; ++i) {
    const int64_t w = weights.w[o * k + i];
    sum += w;
    range.low += w * (w > 0 ? a_low : a_high);
    range.high += w * (w > 0 ? a_high : a_low);
  }
  const Requantization& q = weights.requantization;
  // What a flipped activation adds to each value: int8 becomes a + 128, uint8 a - 128.
  const int32_t flipped = kernel.flip == 0 ? 0 : std::numeric_limits<A>::is_signed ? 128 : -128;
  Channel channel;
  channel.bias = static_cast<int32_t>(bias - (weights.a_zero + flipped) * sum);
  if (q.multipliers == nullptr) return channel;
  channel.multiplier = q.multipliers[o];
  channel.shift = q.shifts[o];
  // Beyond these everything is shifted out.
  if (channel.shift < -31 || channel.shift > (q.rounding == Rounding::Single ? 62 : 31)) {
    channel.multiplier = 0;
    channel.shift = -2;
  }
  *narrow = *narrow && is_narrow(range, channel, q.zero_point, q.rounding);
  return channel;
}

// Writes one constant of every channel: nr of them, or with two copies o0 o1 o0 o1 o2 o3 ...
int32_t* put_constants(const Channel* channels, size_t nr, size_t copies,
                       int32_t Channel::*constant, int32_t* out) {
  if (copies == 1) {
    for (size_t c = 0; c < nr; ++c) *out++ = channels[c].*constant;
    return out;
  }
  for (size_t c = 0; c < nr; c += 2) {
    for (size_t i = 0; i < 2 * copies; ++i) *out++ = channels[c + i % 2].*constant;
  }
  return out;
}

template <class A>
void pack_panel(const GemmI8Kernel<A>& kernel, const GemmI8Weights& weights, size_t panel,
                std::byte* out) {
  const size_t nr = kernel.nr, kr = kernel.kr, k = weights.taps * weights.depth;
  const size_t first = panel * nr, cols = std::min(nr, weights.n - first);
  const Requantization& q = weights.requantization;
  auto* header = new (out) GemmI8PanelHeader{};
  header->rounding = q.rounding;
  header->zero_point = q.zero_point;
  header->low = q.low;
  header->high = q.high;
  header->clamps = q.low > std::numeric_limits<A>::min() || q.high < std::numeric_limits<A>::max();
  bool narrow = q.rounding != Rounding::DoubleUpward;
  Channel channels[kMaxColumns];
  for (size_t c = 0; c < cols; ++c) channels[c] = channel_of(kernel, weights, first + c, &narrow);
  header->narrow = narrow;
  header->quick = q.rounding != Rounding::DoubleUpward && std::ranges::all_of(channels, is_quick);

  auto* constants = reinterpret_cast<int32_t*>(header + 1);
  for (const auto member : {&Channel::bias, &Channel::multiplier, &Channel::shift}) {
    constants = put_constants(channels, nr, kernel.copies, member, constants);
  }
  auto* to = reinterpret_cast<int8_t*>(constants);
  for (size_t k0 = 0; k0 < kernel.padded(k); k0 += kr) {
    const size_t count = k0 < k ? std::min(kr, k - k0) : 0;
    for (size_t c = 0; c < nr; ++c, to += kr) {
      std::memset(to, 0, kr);
      if (c < cols) std::memcpy(to, weights.w + (first + c) * k + k0, count);
    }
  }
}

}  // namespace

template <class A>
size_t GemmI8Kernel<A>::panel_bytes(size_t k) const {
  const size_t bytes =
      sizeof(GemmI8PanelHeader) + kConstantRows * copies * nr * sizeof(int32_t) + padded(k) * nr;
  return (bytes + 63) / 64 * 64;
}

template <class A>
void gemm_i8_pack(const GemmI8Kernel<A>& kernel, const GemmI8Weights& weights, size_t first,
                  size_t last, void* out) {
  auto* to = static_cast<std::byte*>(out);
  const size_t bytes = kernel.panel_bytes(weights.taps * weights.depth);
  for (size_t panel = first; panel < last; ++panel, to += bytes) {
    pack_panel(kernel, weights, panel, to);
  }
}

template struct GemmI8Kernel<int8_t>;
template struct GemmI8Kernel<uint8_t>;
template void gemm_i8_pack(const GemmI8Kernel<int8_t>&, const GemmI8Weights&, size_t, size_t,
                           void*);
template void gemm_i8_pack(const GemmI8Kernel<uint8_t>&, const GemmI8Weights&, size_t, size_t,
                           void*);

}  // namespace hone
