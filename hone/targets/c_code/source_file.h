#pragma once

#include <vector>

#include "hone/base/embedded_file.h"

namespace hone::c_code {

// Kernels in C, and what surrounds a network in a project, by name.
const std::vector<EmbeddedFile>& kernel_files();
const std::vector<EmbeddedFile>& project_templates();
const std::vector<EmbeddedFile>& hexagon_templates();

}  // namespace hone::c_code
