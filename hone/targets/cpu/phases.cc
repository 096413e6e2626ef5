#include "hone/targets/cpu/phases.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace hone::cpu {
namespace {

// Output pixel q * stride + phase reads input pixel q + offset through the tap, or none.
std::optional<int64_t> offset_of(const WindowAxis& axis, int64_t phase, int64_t tap) {
  const int64_t distance = phase + axis.pad_begin - tap * axis.dilation;
  if (distance % axis.stride != 0) return std::nullopt;
  return distance / axis.stride;
}

Phase make_phase(const WindowAxis& axis, int64_t first, int64_t count) {
  std::vector<int64_t> offsets;
  for (int64_t phase = first; phase < first + count; ++phase) {
    for (int64_t tap = 0; tap < axis.kernel; ++tap) {
      if (const auto offset = offset_of(axis, phase, tap)) offsets.push_back(*offset);
    }
  }
  // A kernel narrower than the stride leaves phases without taps: the bias alone.
  if (offsets.empty()) offsets = {0};
  const auto [low, high] = std::ranges::minmax(offsets);
  const int64_t step = count > 1 ? 1 : axis.dilation / std::gcd(axis.dilation, axis.stride);
  const WindowAxis window{.in = axis.in,
                          .kernel = (high - low) / step + 1,
                          .dilation = step,
                          .pad_begin = -low,
                          .out = (axis.out - first + axis.stride - 1) / axis.stride};
  std::vector<int64_t> taps(static_cast<size_t>(count * window.kernel), -1);
  for (int64_t phase = 0; phase < count; ++phase) {
    for (int64_t tap = 0; tap < axis.kernel; ++tap) {
      const auto offset = offset_of(axis, first + phase, tap);
      if (!offset) continue;
      taps[static_cast<size_t>(phase * window.kernel + (*offset - low) / step)] = tap;
    }
  }
  return {.first = first, .count = count, .window = window, .taps = std::move(taps)};
}

}  // namespace

std::vector<Phase> phases_of(const WindowAxis& axis, bool join) {
  if (join) return {make_phase(axis, 0, axis.stride)};
  std::vector<Phase> phases;
  for (int64_t first = 0; first < std::min(axis.stride, axis.out); ++first) {
    phases.push_back(make_phase(axis, first, 1));
  }
  return phases;
}

bool can_join(const WindowAxis& axis) {
  return axis.dilation == 1 && axis.out % axis.stride == 0;
}

bool alike(const WindowAxis& axis) {
  return make_phase(axis, 0, axis.stride).window.kernel * axis.stride == axis.kernel;
}

}  // namespace hone::cpu
