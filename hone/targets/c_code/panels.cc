#include "hone/targets/c_code/panels.h"

namespace hone::c_code {
namespace {

constexpr int64_t kDepthUnit = 8;  // Of the weights in product.c.

// Of two sums the second has 256 times its own and the first's.
void add_firsts(std::vector<int32_t>& biases) {
  for (size_t i = 0; i < biases.size(); i += 2) {
    const auto first = static_cast<uint32_t>(biases[i]);
    biases[i + 1] = static_cast<int32_t>(256 * static_cast<uint32_t>(biases[i + 1]) + first);
  }
}

// Four values of k of a channel from one on, zeros where there are none.
uint32_t weight_word(const Weighted& layer, int64_t n, int64_t k) {
  uint32_t word = 0;
  for (int64_t i = 0; i < 4 && n != kNoChannel && k + i < layer.depth(); ++i) {
    word |= (static_cast<uint32_t>(layer.weight(n, k + i)) & 0xff) << (8 * i);
  }
  return word;
}

// Panels of two channels, a word of four values of k of each in turn.
Array pairs_of(const Weighted& layer) {
  const std::vector<int64_t> channels = channels_in(kPair, layer);
  std::vector<uint32_t> words;
  for (size_t place = 0; place < channels.size(); place += 2) {
    for (int64_t k = 0; k < rounded_up(layer.depth(), kDepthUnit); k += 4) {
      words.push_back(weight_word(layer, channels[place], k));
      words.push_back(weight_word(layer, channels[place + 1], k));
    }
  }
  return words;
}

int32_t weight_or_zero(const Weighted& layer, int64_t n, int64_t k) {
  return n == kNoChannel || k >= layer.depth() ? 0 : layer.weight(n, k);
}

// Two channels' weights of one value of k in 16 bits, as fours.c has them.
uint32_t both_weights(const Weighted& layer, int64_t first, int64_t second, int64_t k) {
  const int32_t both = 256 * weight_or_zero(layer, second, k) + weight_or_zero(layer, first, k);
  return static_cast<uint32_t>(both) & 0xffff;
}

// Panels of four channels: of four values of k those of 0 and 2 of each two channels, then those of 1 and 3.
Array fours_of(const Weighted& layer) {
  const std::vector<int64_t> channels = channels_in(kFours, layer);
  std::vector<uint32_t> words;
  for (size_t place = 0; place < channels.size(); place += kFours) {
    for (int64_t k = 0; k < rounded_up(layer.depth(), kDepthUnit); k += 4) {
      for (const int64_t at : {k, k + 1}) {
        for (const size_t first : {place, place + 2}) {
          words.push_back(both_weights(layer, channels[first], channels[first + 1], at) |
                          both_weights(layer, channels[first], channels[first + 1], at + 2) << 16);
        }
      }
    }
  }
  return words;
}

// Whether sums and weights of every second channel are as small as fours.c needs them.
bool fits_fours(const Weighted& layer) {
  constexpr int64_t kMost = int64_t{1} << 23;
  const std::vector<int64_t> channels = channels_in(kFours, layer);
  for (size_t i = 0; i < channels.size(); i += 2) {
    const int64_t first = channels[i], second = channels[i + 1];
    if (second == kNoChannel) continue;
    const SumRange& sums = layer.sums[static_cast<size_t>(second)];
    if (sums.low < -kMost || sums.high >= kMost) return false;
    for (int64_t k = 0; k < layer.depth(); ++k) {
      if (layer.weight(second, k) == -128 && layer.weight(first, k) < 0) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<int64_t> channels_in(int64_t panel, const Weighted& layer) {
  const bool grouped = layer.conv.groups > 1 && !layer.depthwise();
  const int64_t own =
      grouped ? layer.conv.out_channels / layer.conv.groups : std::ssize(layer.computed);
  std::vector<int64_t> channels;
  for (int64_t i = 0; i < std::ssize(layer.computed); ++i) {
    channels.push_back(layer.computed[static_cast<size_t>(i)]);
    if (i % own < own - 1) continue;
    while (std::ssize(channels) % panel != 0) channels.push_back(kNoChannel);
  }
  return channels;
}

std::vector<int32_t> biases_in(int64_t panel, const Weighted& layer) {
  std::vector<int32_t> biases;
  for (const int64_t n : channels_in(panel, layer)) {
    biases.push_back(n == kNoChannel ? 0 : layer.biases[static_cast<size_t>(n)]);
  }
  if (panel == kFours) add_firsts(biases);
  return biases;
}

size_t column_bytes(const Weighted& layer) {
  return 2 * static_cast<size_t>(rounded_up(layer.depth(), kDepthUnit));
}

Array Blocks::panels(const Weighted& layer) const {
  return fours() ? fours_of(layer) : pairs_of(layer);
}

Blocks blocks_of(const Weighted& layer, CoreKernels core) {
  const bool enough = layer.conv.groups == 1 && layer.computed.size() > 2;
  return {core.fours && enough && fits_fours(layer) ? kFours : kPair};
}

}  // namespace hone::c_code
