#pragma once

#include <vector>

#include "hone/base/embedded_file.h"

namespace hone {

// The program that listens in C, with fields to be filled in.
const std::vector<EmbeddedFile>& stream_project_files();

}  // namespace hone
