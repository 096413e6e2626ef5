#pragma once

#include <vector>

#include "hone/cli/reference_pages.h"

namespace hone {

// hone.1 and a page for every command, as `man` reads them.
std::vector<ReferencePage> man_pages();

}  // namespace hone
