#include "hone/ops/random/random.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "hone/base/hash.h"

namespace hone {

std::mt19937_64 generator_of(const EvalContext& in) {
  if (in.has_attr("seed")) return std::mt19937_64(std::bit_cast<uint64_t>(in.real("seed")));
  return std::mt19937_64(in.options().seed ^ hash64(in.node().outputs[0]->name));
}

double uniform(std::mt19937_64& generator) {
  return static_cast<double>(generator() >> 11) * 0x1p-53;
}

// Box and Muller.
double normal(std::mt19937_64& generator) {
  const double radius = std::sqrt(-2 * std::log(1 - uniform(generator)));
  return radius * std::cos(2 * std::numbers::pi * uniform(generator));
}

}  // namespace hone
