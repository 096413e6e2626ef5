#include <algorithm>

#include "hone/base/printable.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/document/writers.h"

namespace hone {
namespace {

std::string text_of(const Paragraph& paragraph) {
  return printable(paragraph.text) + "\n";
}

std::string text_of(const Sentences& sentences) {
  std::string text;
  for (const std::string& line : sentences.lines) text += printable(line) + "\n";
  return text;
}

std::string text_of(const Facts& facts) {
  size_t width = 8;
  for (const auto& [name, value] : facts.items) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : facts.items) {
    text += str(printable(name), std::string(width - name.size() + 2, ' '), printable(value), "\n");
  }
  return text;
}

std::string text_of(const DataTable& data) {
  std::vector<std::string> header;
  for (const Column& column : data.columns) header.push_back(column.name);
  Table table(std::move(header));
  for (const TableRow& row : data.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(cell.text);
    table.add(std::move(cells));
  }
  return table.empty() ? "" : table.to_string();
}

// A terminal has the table.
template <class Chart>
std::string text_of(const Chart&) {
  return "";
}

}  // namespace

std::string document_text(const Document& document) {
  std::string text = document.lead.empty() ? "" : printable(document.lead) + "\n";
  for (const DocumentSection& section : document.sections) {
    std::string body;
    for (const Block& block : section.blocks) {
      body += std::visit([](const auto& each) { return text_of(each); }, block);
    }
    if (!text.empty() && !body.empty()) text += "\n";
    text += body;
  }
  return text;
}

}  // namespace hone
