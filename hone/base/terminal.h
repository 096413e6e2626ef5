#pragma once

#include <cstddef>
#include <optional>

namespace hone {

// How many columns the terminal has that a file of this process is, such as STDOUT_FILENO; nothing
// where it is none, or does not tell.
std::optional<size_t> terminal_columns(int file);

}  // namespace hone
