#pragma once

#include <vector>

#include "hone/base/embedded_file.h"

namespace hone {

// The front end in C, without its tables.
const std::vector<EmbeddedFile>& audio_c_files();

}  // namespace hone
