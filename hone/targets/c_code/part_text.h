// What a program of C has of layers in parts: the function that runs one, and who runs them all.
#pragma once

#include <string>

#include "hone/targets/c_code/plan.h"

namespace hone::c_code {

// Whether any of its layers is.
bool has_parts(const Plan& plan);

// The name of the function that does a step's work: "layer_3", of which parts are made "work_3".
std::string work_name(const Plan& plan, size_t step);

// What lies before the channels of `part` in a step's first array: "part.first * 96".
std::string bytes_before_part(const Step& step);

// "layer_3", which runs one part of it.
std::string part_function(const Plan& plan, size_t step);

// The call that runs them all with the step's operands: "hone_run_parts(layer_3, ..);".
struct PartOperands {
  std::string x0 = {}, x1 = "0", y = {}, scratch = "0", vtcm = "0";
  std::string channels = "0, 0";
};
std::string parts_call(const Plan& plan, size_t step, const PartOperands& operands);

// Which function a product may define, and how.
std::string part_declarations(const Plan& plan);

// How a self-test runs them: on this machine by threads, elsewhere the last one first.
std::string part_test_text(const Plan& plan);

// "58 of 67 layers in parts for 4 threads"; empty where none is.
std::string parts_note(const Plan& plan);

}  // namespace hone::c_code
