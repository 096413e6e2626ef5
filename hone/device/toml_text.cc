#include "hone/device/toml_text.h"

#include <algorithm>

namespace hone {
namespace {

constexpr int kMostKeyParts = 16;

// The text behind a string that `text` begins with; none of its dots separates keys.
std::string_view behind_string(std::string_view text) {
  const char quote = text[0];
  const std::string three(3, quote);
  const bool is_long = text.starts_with(three);
  const std::string_view end = is_long ? std::string_view(three) : text.substr(0, 1);
  text.remove_prefix(end.size());
  while (!text.empty() && !text.starts_with(end)) {
    if (!is_long && text[0] == '\n') return text;  // Not closed, as the parser will say.
    const bool escape = quote == '"' && text[0] == '\\' && text.size() > 1;
    text.remove_prefix(escape ? 2 : 1);
  }
  text.remove_prefix(std::min(text.size(), end.size()));
  return text;
}

}  // namespace

Status check_toml_keys(std::string_view text, const std::string& file) {
  const std::string_view whole = text;
  int parts = 1;
  while (!text.empty()) {
    const char c = text[0];
    if (c == '"' || c == '\'') {
      text = behind_string(text);
      continue;
    }
    if (c == '#') {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
      continue;
    }
    if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) parts = 1;
    if (c == '.' && ++parts > kMostKeyParts) {
      const std::string_view before = whole.substr(0, whole.size() - text.size());
      return bad_input(file, ": line ", 1 + std::ranges::count(before, '\n'),
                       ": a key of more than ", kMostKeyParts, " parts");
    }
    text.remove_prefix(1);
  }
  return Done{};
}

}  // namespace hone
