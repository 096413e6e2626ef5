// What recipes of every kind begin with.
#pragma once

#include <string>

#include "hone/device/toml_text.h"

namespace hone {

Status check_recipe_version(const TomlSection& in);
// One that there is; cpu where the recipe names none.
Result<std::string> read_recipe_target(const TomlSection& in);

}  // namespace hone
