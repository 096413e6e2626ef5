#pragma once

#include <vector>

#include "hone/base/embedded_file.h"

namespace hone::emulation {

// What QEMU loads to count, in C: it is compiled where it is used.
const std::vector<EmbeddedFile>& plugin_files();

}  // namespace hone::emulation
