#pragma once

#include <string>
#include <string_view>

namespace hone {

// A text as TOML writes it: in quotes, with what would end it or the line escaped.
std::string toml_quoted(std::string_view text);

}  // namespace hone
