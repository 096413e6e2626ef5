#pragma once

#include <vector>

#include "hone/base/embedded_file.h"

namespace hone::cuda {

// Those of `sources`, by name.
const std::vector<EmbeddedFile>& source_files();

}  // namespace hone::cuda
