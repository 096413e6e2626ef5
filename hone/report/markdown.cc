#include "hone/report/markdown.h"

#include <cctype>
#include <string_view>

#include "hone/base/printable.h"
#include "hone/base/str.h"

namespace hone {
namespace {

// An underscore inside a word is a letter to Markdown, at its edge it begins emphasis.
bool inside_word(const std::string& text, size_t at) {
  const auto letter = [&](size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
  };
  return at > 0 && letter(at - 1) && letter(at + 1);
}

}  // namespace

std::string markdown_plain(const std::string& from) {
  const std::string text = printable(from);
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool special = std::string_view("\\`*[]|~").find(c) != std::string_view::npos;
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (special || (c == '_' && !inside_word(text, i))) {
      result += {'\\', c};
    } else {
      result += c;
    }
  }
  return result;
}

std::string markdown_table(const MarkdownCells& header, const std::vector<MarkdownCells>& rows) {
  const auto line = [](const MarkdownCells& cells) {
    return str("| ", join(cells, " | "), " |\n");
  };
  MarkdownCells names, rules;
  for (const std::string& name : header) {
    const bool right = name.starts_with('>');
    names.push_back(right ? name.substr(1) : name);
    rules.push_back(right ? "---:" : "---");
  }
  std::string text = line(names) + line(rules);
  for (const MarkdownCells& row : rows) text += line(row);
  return text + "\n";
}

}  // namespace hone
