// Operators that Hone does not know, as users register them: in files, and in those of devices.
#pragma once

#include <string>
#include <vector>

#include "hone/model/load.h"
#include "hone/targets/devices.h"

namespace hone {

// Those of a target as -d takes it; none where it is no device or lists none.
Result<std::vector<OperatorEntry>> device_operators(const std::string& target);

// Puts the expressions in the place of the nodes that they are the meaning of; a model need not
// have any. BadInput names where an expression that is none stands, whether it is needed or not.
Status bind_operators(Model& model, const std::vector<OperatorEntry>& operators);

}  // namespace hone
