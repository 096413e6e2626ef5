// Weights that do not fit in the kernels' 8 bits. Those of the uint8 scheme reach from -255 to 255
// once their zero point is taken off; they become several sets of 8-bit weights for the same
// activations, whose products add up to the right ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone {

// The fewest sets that hold all weights: 1 where they fit, 3 where one is 255.
size_t weight_copies(const std::vector<int16_t>& weights);

// [columns][copies][k] from [columns][k].
std::vector<int8_t> split_weights(const std::vector<int16_t>& weights, size_t k, size_t copies);

}  // namespace hone
