#include "hone/kernels/gemm_i8/wide_weights.h"

#include <algorithm>

namespace hone {
namespace {

constexpr int kLeast = -128;
constexpr int kMost = 127;

}  // namespace

size_t weight_copies(const std::vector<int16_t>& weights) {
  if (weights.empty()) return 1;
  const auto [least, most] = std::ranges::minmax(weights);
  size_t copies = 1;
  for (int room = 1; least < room * kLeast || most > room * kMost; ++room) ++copies;
  return copies;
}

std::vector<int8_t> split_weights(const std::vector<int16_t>& weights, size_t k, size_t copies) {
  std::vector<int8_t> split(weights.size() * copies);
  for (size_t i = 0; i < weights.size(); ++i) {
    size_t at = i / k * k * copies + i % k;
    int rest = weights[i];
    for (size_t copy = 0; copy < copies; ++copy, at += k) {
      const int part = std::clamp(rest, kLeast, kMost);
      split[at] = static_cast<int8_t>(part);
      rest -= part;
    }
  }
  return split;
}

}  // namespace hone
