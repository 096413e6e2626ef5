#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hone/base/result.h"
#include "hone/validate/validation.h"

namespace hone {

// What stands under "results" of a result file.
nlohmann::ordered_json validation_to_json(const Validation& validation);
// The JSON Schema of it.
nlohmann::ordered_json validation_schema();

// Reads what was written so. A layer's sums are such that their figures are those of the file. BadInput names the
// key.
Result<Validation> validation_from_json(const nlohmann::ordered_json& results);

}  // namespace hone
