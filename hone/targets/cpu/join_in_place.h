// Concatenations that need no copy: the step that makes a part writes it where the whole has it.
#pragma once

#include "hone/targets/cpu/plan.h"

namespace hone::cpu {

// Puts the slots of parts into those of their wholes, wherever that is possible. To be called when
// all steps are made and graph outputs have their homes; lives of slots are found after it.
void join_in_place(Plan& plan);

}  // namespace hone::cpu
