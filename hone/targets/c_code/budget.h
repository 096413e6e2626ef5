// Whether a plan keeps to the memories it was given, and what it pays for that.
#pragma once

#include "hone/targets/c_code/plan.h"

namespace hone::c_code {

// Resource, where it takes more than the options allow: the layer that takes most, and what would help.
// `given` is the network it was made of.
Status check_budget(const Plan& plan, const Graph& given, const CompileOptions& options);

// Which layers run by rows and what that costs; empty where none do.
std::string rows_note(const Plan& plan);

// Bytes of constants that a step has of its own.
size_t constants_of(const Step& step);

}  // namespace hone::c_code
