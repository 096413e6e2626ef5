#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

struct Utf8Character {
  char32_t code;
  size_t bytes;
};

// The character that `text` begins with; nothing when it is empty or does not begin with UTF-8.
std::optional<Utf8Character> first_character(std::string_view text);

// Text of unknown origin as one line of what a terminal shows and does not obey: control
// characters, characters that turn the direction of writing, and bytes that are no UTF-8 become
// escapes ("\n", "\x1b", "\u202e"). What is longer than `most` bytes loses its middle.
std::string printable(std::string_view text, size_t most = 1000);

}  // namespace hone
