// Seeded numbers for weights: cheap, the same on every machine, and independent of the order in
// which they are asked for.
#pragma once

#include <cstdint>
#include <string_view>

#include "hone/tensor/tensor.h"

namespace hone {

// Draws whole tensors. A tensor depends only on the seed, its name, its shape and the two numbers.
class WeightSource {
 public:
  explicit WeightSource(uint64_t seed) : seed_(seed) {}

  // Near-normal float elements around `mean`, never further from it than 3.5 `deviation`.
  Tensor normal(std::string_view name, Shape shape, double mean, double deviation) const;

 private:
  uint64_t seed_;
};

}  // namespace hone
