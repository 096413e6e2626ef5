// A plan as a project of C: the network, the kernels it calls, a self-test on recorded inputs and outputs,
// and what builds them for this machine and for emulated boards.
#pragma once

#include <filesystem>

#include "hone/targets/c_code/plan.h"

namespace hone::c_code {

// Inputs and what they must give, byte for byte.
struct TestVector {
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

// What a project is built with.
enum class Toolchain { Arm, Hexagon };

struct ProjectNames {
  std::string model;   // As people know it.
  std::string device;  // That it was made for.
  std::string prefix;  // Of every name in C: "hone_kws_int8".
  size_t flash_bytes = 0;
  size_t ram_bytes = 0;
  size_t max_flash_bytes = 0;  // What the network may take of them; 0: all.
  size_t max_ram_bytes = 0;
  std::string core = {};        // "cortex-m7".
  std::string core_flags = {};  // Of compilers, besides its name.
  Toolchain toolchain = Toolchain::Arm;
};
// "hone_" and the name of the network with nothing but letters, digits and underscores.
std::string prefix_of(const Graph& graph);

// Their names below the folder.
std::vector<std::string> project_files(const ProjectNames& names);

// All files or, where one cannot be written, none: then a project that was there is as it was.
Status write_project(const Plan& plan, const ProjectNames& names,
                     const std::vector<TestVector>& tests, const std::filesystem::path& folder);

}  // namespace hone::c_code
