#pragma once

#include <vector>

#include "hone/cli/reference_pages.h"

namespace hone {

// What shells offer when Tab is pressed: hone.bash, _hone (zsh) and hone.fish.
std::vector<ReferencePage> completions();

}  // namespace hone
