#pragma once

#include <vector>

#include "hone/ops/rnn/recurrent.h"

namespace hone {

// From the attributes activations, activation_alpha and activation_beta: as many per direction as
// `defaults` has names.
Result<std::vector<GateFunction>> gate_functions(const NodeContext& node,
                                                 const std::vector<const char*>& defaults,
                                                 int64_t directions);

}  // namespace hone
