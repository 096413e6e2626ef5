// What documents in GitHub's Markdown are made of.
#pragma once

#include <string>
#include <vector>

namespace hone {

// Text from a file as one line, so that nothing in it is Markdown or HTML.
std::string markdown_plain(const std::string& text);

using MarkdownCells = std::vector<std::string>;

// A header of "name" is aligned on the left, one of ">name" on the right. Cells are Markdown.
std::string markdown_table(const MarkdownCells& header, const std::vector<MarkdownCells>& rows);

}  // namespace hone
