// Seeded numbers for weights: cheap, the same on every machine, and independent of the order in
// which they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hone/tensor/tensor.h"

namespace hone {

// Draws whole tensors. A tensor depends only on the seed, its name, its shape and the two numbers.
class WeightSource {
 public:
  // With a period, tensors repeat after as many elements: for networks whose weights would take
  // seconds to draw.
  explicit WeightSource(uint64_t seed, size_t period = 0) : seed_(seed), period_(period) {}

  // Near-normal float elements around `mean`, never further from it than 3.5 `deviation`.
  Tensor normal(std::string_view name, Shape shape, double mean, double deviation) const;

 private:
  uint64_t seed_;
  size_t period_;
};

}  // namespace hone
