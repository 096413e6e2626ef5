#include "hone/cli/shell_words.h"

#include <algorithm>
#include <cctype>

namespace hone {
namespace {

bool means_itself(char c) {
  constexpr std::string_view kPlain = "_./:=,@%+-";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != std::string::npos;
}

}  // namespace

std::string in_shell_quotes(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string shell_word(std::string_view text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, means_itself);
  return plain ? std::string(text) : in_shell_quotes(text);
}

std::string shell_line(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

std::vector<std::string> words_of_shell_line(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false, quoted = false;  // A word; quotes.
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (!quoted && std::isspace(static_cast<unsigned char>(c)) != 0) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == '\\' && !quoted && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace hone
