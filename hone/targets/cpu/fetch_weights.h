// Weights are read once a run, so they come from the third-level cache or from memory. Steps that
// compute much fetch what the steps behind them would wait for.
#pragma once

#include "hone/targets/cpu/plan.h"

namespace hone::cpu {

// Sets Step::ahead, once the stages are known.
void fetch_weights_ahead(Plan& plan);

}  // namespace hone::cpu
