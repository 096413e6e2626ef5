// The test that a project brings: the network on inputs whose results are known.
#pragma once

#include <string>
#include <vector>

#include "hone/targets/c_code/plan.h"
#include "hone/targets/c_code/write_project.h"

namespace hone::c_code {

// "input_0", "expected_0": one after the other of all tests.
std::string vectors_text(const Plan& plan, const std::vector<TestVector>& tests,
                         const std::string& stamp);

// Inputs and outputs as a product has them, in RAM. The arena is exact, and dirty when it is handed over.
std::string selftest_text(const Plan& plan, const ProjectNames& names, const std::string& stamp);

}  // namespace hone::c_code
