#pragma once

#include "hone/workbench/validate_model.h"

namespace hone {

// Compiles the model, runs it as the budgets need it, and adds latency, slowdown, memory, size and
// energy to the verdict. `data` may be null; inputs are drawn from the seed then.
Status check_budgets(const Model& model, const ValidateRequest& request, const DataSet* data,
                     Validation& validation);

}  // namespace hone
