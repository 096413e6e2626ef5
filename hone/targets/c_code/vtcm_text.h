// What a program of C has of VTCM: constants that are brought there, and the calls that bring them.
#pragma once

#include <string>

#include "hone/targets/c_code/plan.h"

namespace hone::c_code {

// Whether a step reads its constants there, and whether those come in several pieces.
bool reads_vtcm(const Plan& plan, size_t step);
bool in_pieces(const Plan& plan, size_t step);

// "layer_3_c0": the constants of such steps in main memory.
std::string brought_name(size_t step, size_t array);

// The names that a step's calls have for its constants there: "const int8_t *const c0 = (const int8_t *)..;".
std::string bound_constants(const Plan& plan, size_t step);

// Calls that begin to bring what the first piece of a step, or another, reads; empty where that is there.
std::string started_fetches(const Plan& plan, size_t step, size_t piece);
// Of all that is kept from run to run, and waits for it.
std::string kept_fetches(const Plan& plan);

// Of a step's constants, those that may lie there.
size_t bytes_for_vtcm(const Step& step);
// Constants that are kept, that every run fetches, or that are read where they are.
size_t constants_that_are(const Plan& plan, Residence residence);
// "all tensors, 48.6 KiB of constants that stay": what lies there, and what does not.
std::string vtcm_note(const Plan& plan);

// Steps whose results lie neither there nor with the caller.
std::vector<size_t> spilled_steps(const Plan& plan);

}  // namespace hone::c_code
