#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>

#include "hone/base/result.h"

namespace hone {

// What `read` makes of the table in a text; BadInput names the file, and the line where the text is
// no TOML.
template <class Read>
auto parse_toml(std::string_view text, const std::string& file, Read read)
    -> decltype(read(toml::table())) {
  try {
    return read(toml::parse(text, file)).in(file);
  } catch (const toml::parse_error& error) {
    return bad_input(file, ": line ", error.source().begin.line, ": ",
                     std::string(error.description()));
  }
}

}  // namespace hone
