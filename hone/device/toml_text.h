#pragma once

#include <string>
#include <string_view>

#include "hone/device/toml_section.h"

namespace hone {

// BadInput names the line of a key with more parts than any file of Hone's has: a table is made for
// each, and what is 50,000 tables deep cannot be freed without running out of stack.
Status check_toml_keys(std::string_view text, const std::string& file);

// What `read` makes of the table in a text; BadInput names the file and the line.
template <class Read>
auto parse_toml(std::string_view text, const std::string& file, Read read)
    -> decltype(read(std::declval<const TomlSection&>())) {
  HONE_RETURN_IF_ERROR(check_toml_keys(text, file));
  try {
    const toml::table table = toml::parse(text, file);
    return read(TomlSection(table, file));
  } catch (const toml::parse_error& error) {
    return bad_input(file, ": line ", error.source().begin.line, ": ", error.description());
  }
}

}  // namespace hone
