#include "hone/base/printable.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "hone/base/short_name.h"

namespace hone {
namespace {

// Line and paragraph separators, and what embeds, overrides or isolates a direction of writing.
bool steers(char32_t code) {
  return code == 0x61C || (code >= 0x200E && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(char32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return code < 0x100 ? fmt::format("\\x{:02x}", static_cast<uint32_t>(code))
                          : fmt::format("\\u{:04x}", static_cast<uint32_t>(code));
  }
}

bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

}  // namespace

std::optional<Utf8Character> first_character(std::string_view text) {
  if (text.empty()) return std::nullopt;
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<uint8_t>(text[0]);
  const int ones = std::countl_one(lead);
  const size_t size = ones == 0 ? 1 : static_cast<size_t>(ones);
  if (ones == 1 || size > 4 || size > text.size()) return std::nullopt;
  char32_t code = ones == 0 ? lead : lead & (0x7Fu >> size);
  for (size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if ((byte & 0xC0) != 0x80) return std::nullopt;
    code = code << 6 | (byte & 0x3F);
  }
  // Longer than needed, beyond unicode, or half of a surrogate pair.
  if (code < kSmallest[size] || code > 0x10FFFF || (code >> 11) == 0x1B) return std::nullopt;
  return Utf8Character{code, size};
}

std::string printable(std::string_view text, size_t most) {
  std::string result;
  while (!text.empty()) {
    const std::optional<Utf8Character> character = first_character(text);
    if (!character) {
      result += escaped(static_cast<uint8_t>(text[0]));
    } else if (is_control(character->code) || steers(character->code)) {
      result += escaped(character->code);
    } else {
      result += text.substr(0, character->bytes);
    }
    text.remove_prefix(character ? character->bytes : 1);
  }
  return without_middle(result, most);
}

}  // namespace hone
