// Operators of one's own in a TOML file, as `[[operator]]` tables:
//   name = "acme.SwishBeta"
//   expression = "x*sigmoid(beta*x)"
//   cycles_per_element = 0.5
// The last is the price on a device that has the operator, and may be left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/device/device_format.h"
#include "hone/device/npu_spec.h"

namespace hone {

struct OperatorEntry {
  NpuOperator op = {};
  std::string where = {};  // Its expression: "ops.toml: line 3: operator[0].expression".
};

// A file of such tables alone, or one of a device of some kind, whose operators are taken. BadInput
// names file, line and key: for other keys and names that come twice, too.
Result<std::vector<OperatorEntry>> parse_operators(std::string_view text, const std::string& file,
                                                   SpecFormats kinds);

}  // namespace hone
