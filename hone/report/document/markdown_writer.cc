#include <sstream>

#include "hone/base/printable.h"
#include "hone/base/str.h"
#include "hone/report/document/writers.h"
#include "hone/report/markdown.h"

namespace hone {
namespace {

std::string markdown_of(const Paragraph& paragraph) {
  return markdown_plain(paragraph.text) + "\n\n";
}

std::string markdown_of(const Sentences& sentences) {
  std::string text;
  for (const std::string& line : sentences.lines) text += str("- ", markdown_plain(line), "\n");
  return text + "\n";
}

std::string markdown_of(const Facts& facts) {
  std::vector<MarkdownCells> rows;
  for (const auto& [name, value] : facts.items) {
    rows.push_back({markdown_plain(name), markdown_plain(value)});
  }
  return rows.empty() ? "" : markdown_table({"", ""}, rows);
}

std::string markdown_heading(const std::string& heading) {
  return heading.empty() ? "" : markdown_plain(heading) + "\n\n";
}

// What is said of an item, below it.
std::string markdown_list_of(const Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts.items) {
    text += str("   - ", markdown_plain(name), ": ", markdown_plain(value), "\n");
  }
  return text;
}

std::string markdown_of(const ItemList& list) {
  if (list.items.empty()) return "";
  std::string text = markdown_heading(list.heading);
  for (const ListItem& item : list.items) {
    text += str("- **", markdown_plain(item.title), "**\n", markdown_list_of(item.facts));
  }
  return text + "\n";
}

std::string markdown_of(const NumberedList& list) {
  std::string text = markdown_heading(list.heading);
  size_t number = list.first;
  for (const ListItem& item : list.items) {
    text += str(number++, ". **", markdown_plain(item.title), "**\n", markdown_list_of(item.facts));
  }
  return text + "\n";
}

// Indented by four, nothing in it is Markdown, whatever it holds.
std::string markdown_of(const Listing& listing) {
  std::string text;
  std::istringstream lines(listing.text);
  for (std::string line; std::getline(lines, line);) text += str("    ", printable(line), "\n");
  return text.empty() ? "" : text + "\n";
}

std::string markdown_of(const DataTable& data) {
  MarkdownCells header;
  for (const Column& column : data.columns) {
    header.push_back((column.number ? ">" : "") + markdown_plain(column.name));
  }
  std::vector<MarkdownCells> rows;
  for (const TableRow& row : data.rows) {
    rows.emplace_back();
    for (const Cell& cell : row) rows.back().push_back(markdown_plain(cell.text));
  }
  return rows.empty() ? "" : markdown_table(header, rows);
}

// Markdown has the table.
template <class Chart>
std::string markdown_of(const Chart&) {
  return "";
}

std::string markdown_next(const std::vector<NextStep>& steps) {
  std::string text;
  for (const NextStep& step : steps) {
    text += markdown_plain(step.what) + "\n\n";
    if (!step.command.empty()) text += str("    ", printable(step.command), "\n\n");
  }
  return text;
}

std::string markdown_provenance(const Provenance& from) {
  const Facts facts = facts_of(from);
  if (facts.items.empty()) return "";
  return str("<details><summary>Environment and provenance</summary>\n\n", markdown_of(facts),
             "</details>\n\n");
}

}  // namespace

std::string document_markdown(const Document& document) {
  std::string text = str("# ", markdown_plain(document.title), "\n\n");
  if (!document.headline.empty()) text += str("**", markdown_plain(document.headline), "**\n\n");
  text += markdown_next(document.next);
  for (const DocumentSection& section : document.sections) {
    std::string body;
    for (const Block& block : section.blocks) {
      body += std::visit([](const auto& each) { return markdown_of(each); }, block);
    }
    if (!body.empty()) text += str("## ", markdown_plain(section.title), "\n\n", body);
  }
  return text + markdown_provenance(document.from);
}

}  // namespace hone
