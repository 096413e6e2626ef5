#pragma once

#include <vector>

#include "hone/base/embedded_file.h"

namespace hone {

// The program that listens in C, with fields to be filled in.
const std::vector<EmbeddedFile>& stream_project_files();
// What builds it, and runs it in an emulator.
const std::vector<EmbeddedFile>& arm_stream_files();
const std::vector<EmbeddedFile>& hexagon_stream_files();

}  // namespace hone
