// What `hone convert` did.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hone/passes/device_io.h"
#include "hone/passes/pass_def.h"

namespace hone {

struct Conversion {
  std::string file = {};
  size_t nodes = 0;
  std::vector<PassRun> passes = {};
  IoChange io = {};
  bool integer_io = false;       // Integers were asked for: what stays float is told.
  const Graph* graph = nullptr;  // That was written.
};

std::string conversion_text(const Conversion& conversion);
// What stands under "results" of a result file.
nlohmann::ordered_json conversion_to_json(const Conversion& conversion);

}  // namespace hone
