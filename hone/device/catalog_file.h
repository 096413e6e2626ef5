#pragma once

#include <vector>

#include "hone/base/embedded_file.h"

namespace hone {

// Those of device/catalog and of device/classes, by name.
const std::vector<EmbeddedFile>& catalog_files();
const std::vector<EmbeddedFile>& class_files();

}  // namespace hone
