// Cache misses step by step from a model of the caches, for machines that show no counters.
#pragma once

#include "hone/profile/counters.h"

namespace hone {

// Plays the steps' accesses to arena, weights, inputs and outputs into a model of this machine's
// caches: one round to fill them, one that counts. Steps are taken to read and write as their
// kernels do: products go over their weights once for every block of rows, everything else streams.
Result<CounterProfile> simulate_caches(const Program& program);

}  // namespace hone
