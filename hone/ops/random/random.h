#pragma once

#include <random>

#include "hone/ops/op_def.h"

namespace hone {

inline AttrDef seed_attr() {
  return {"seed", 0.0, kAbsent};
}

// From the node's own seed, or else from the run's seed and the node, so that two nodes differ.
std::mt19937_64 generator_of(const EvalContext& in);

// In [0, 1), the same on every machine, as std's distributions are not.
double uniform(std::mt19937_64& generator);
double normal(std::mt19937_64& generator);

}  // namespace hone
