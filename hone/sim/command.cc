#include "hone/sim/command.h"

namespace hone::sim {

int64_t constants_offset(int64_t channels, int64_t products_per_channel) {
  return (channels * products_per_channel + 3) / 4 * 4;
}

int64_t weight_block_bytes(int64_t channels, int64_t products_per_channel) {
  constexpr int64_t kConstants = 3;  // Bias, multiplier and shift.
  return constants_offset(channels, products_per_channel) + kConstants * 4 * channels;
}

int64_t Product::weight_bytes() const {
  return weight_block_bytes(output.channels, window.taps() * depth());
}

}  // namespace hone::sim
