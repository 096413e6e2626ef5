#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hone/validate/validation.h"

namespace hone {

// What stands under "results" of a result file; `read_baseline` reads part of it back.
nlohmann::ordered_json validation_to_json(const Validation& validation);

}  // namespace hone
