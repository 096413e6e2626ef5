#include <algorithm>
#include <atomic>
#include <numeric>

#include "hone/base/printable.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/document/writers.h"

namespace hone {
namespace {

std::atomic<size_t> text_width = kTextWidth;

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

std::string text_heading(const std::string& heading) {
  return heading.empty() ? "" : printable(heading) + "\n";
}

// What is said of an item, below it.
std::string text_below(const Facts& facts, size_t width) {
  std::string text;
  for (const auto& [name, value] : facts.items) {
    const size_t gap = name.size() < width ? width - name.size() : 1;
    text += str("    ", printable(name), std::string(gap, ' '), printable(value), "\n");
  }
  return text;
}

std::string text_of(const ItemList& list) {
  std::string text = text_heading(list.heading);
  for (const ListItem& item : list.items) {
    text += str("  ", printable(item.title), "\n", text_below(item.facts, 8));
  }
  return text;
}

std::string text_of(const NumberedList& list) {
  std::string text = text_heading(list.heading);
  size_t number = list.first;
  for (const ListItem& item : list.items) {
    text += str(number++, ". ", printable(item.title), "\n", text_below(item.facts, 10));
  }
  return text;
}

std::string text_of(const Listing& listing) {
  return listing.text;
}

// A terminal is narrow: names lose their middle, by themselves and in sentences. Pages, CSV and JSON
// have them whole.
constexpr size_t kLongestName = 56;

bool is_long_name(const std::string& text) {
  return text.size() > kLongestName && text.find(' ') == std::string::npos;
}

std::string terminal_cell(const std::string& text) {
  if (text.size() <= kLongestName) return text;
  return is_long_name(text) ? short_name(text, kLongestName) : with_short_names(text);
}

std::vector<size_t> widths_of(const DataTable& data) {
  std::vector<size_t> widths;
  for (size_t c = 0; c < data.columns.size(); ++c) {
    widths.push_back(data.columns[c].name.size());
    for (const TableRow& row : data.rows) {
      widths[c] = std::max(widths[c], printable(row[c].text).size());
    }
  }
  return widths;
}

size_t whole_width(const std::vector<size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1));
}

// Takes away from the widest name until all fit, or none is left that is long.
void narrow_names(const DataTable& data, size_t most, std::vector<size_t>& widths) {
  constexpr size_t kShortFirst = 24, kShort = 12;  // What a row is about says more.
  while (whole_width(widths) > most) {
    size_t* widest = nullptr;
    for (size_t c = 0; c < widths.size(); ++c) {
      const size_t least = std::max(c == 0 ? kShortFirst : kShort, data.columns[c].name.size());
      const bool longer = widest == nullptr || widths[c] > *widest;
      const bool fixed_width = data.columns[c].number || data.columns[c].words;
      if (!fixed_width && widths[c] > least && longer) widest = &widths[c];
    }
    if (widest == nullptr) return;
    --*widest;
  }
}

// What rows are about, which no two have in common.
std::vector<std::string> first_cells(const DataTable& data, size_t width) {
  std::vector<std::string> cells;
  size_t widest = 0;
  for (const TableRow& row : data.rows) {
    cells.push_back(row[0].text);
    widest = std::max(widest, printable(row[0].text).size());
  }
  return widest <= width ? cells : short_names(cells, width);
}

std::string table_text(const DataTable& data, const std::vector<size_t>& widths) {
  std::vector<std::string> header;
  for (size_t c = 0; c < widths.size(); ++c) header.push_back(data.columns[c].name);
  Table table(std::move(header));
  const std::vector<std::string> firsts = first_cells(data, widths[0]);
  for (size_t r = 0; r < data.rows.size(); ++r) {
    std::vector<std::string> cells = {firsts[r]};
    for (size_t c = 1; c < widths.size(); ++c) {
      const std::string& cell = data.rows[r][c].text;
      const bool fits = printable(cell).size() <= widths[c];
      cells.push_back(fits ? cell : short_name(cell, widths[c]));
    }
    table.add(std::move(cells));
  }
  return table.to_string();
}

std::string narrow_text(const DataTable& data, size_t most) {
  std::vector<size_t> unshortened = widths_of(data);
  std::vector<size_t> widths = unshortened;
  narrow_names(data, most, widths);
  std::vector<std::string> left_out;
  while (whole_width(widths) > most && widths.size() > 2) {
    left_out.insert(left_out.begin(), data.columns[widths.size() - 1].name);
    unshortened.pop_back();
    widths = unshortened;  // The others have its room.
    narrow_names(data, most, widths);
  }
  const std::string text = table_text(data, widths);
  return left_out.empty() ? text : str(text, "no room for: ", join(left_out), "\n");
}

std::string text_of(const DataTable& data) {
  if (data.rows.empty()) return "";
  DataTable shown = data;
  for (TableRow& row : shown.rows) {
    for (Cell& cell : row) cell.text = terminal_cell(cell.text);
  }
  // Names that lose their middle may become one: they are shortened together.
  std::vector<std::string> names;
  for (const TableRow& row : data.rows) names.push_back(row[0].text);
  const bool any_name = std::ranges::any_of(names, is_long_name);
  if (any_name) names = short_names(names, kLongestName);
  for (size_t r = 0; r < names.size(); ++r) {
    if (is_long_name(data.rows[r][0].text)) shown.rows[r][0].text = names[r];
  }
  return data.narrow ? narrow_text(shown, text_width) : table_text(shown, widths_of(shown));
}

// A terminal has the table.
template <class Chart>
std::string text_of(const Chart&) {
  return "";
}

bool has_facts(const Block& block) {
  return std::holds_alternative<Facts>(block) || std::holds_alternative<ItemList>(block);
}

// The text of a section, and whether it begins and ends with facts, of the whole or of items.
struct Body {
  std::string text = {};
  bool facts_first = false;
  bool facts_last = false;
};

Body text_body(const DocumentSection& section) {
  Body body;
  for (const Block& block : section.blocks) {
    const std::string text = std::visit([](const auto& each) { return text_of(each); }, block);
    if (text.empty()) continue;
    body.facts_last = has_facts(block);
    if (body.text.empty()) body.facts_first = body.facts_last;
    body.text += text;
  }
  return body;
}

}  // namespace

void use_text_width(size_t columns) {
  text_width = columns;
}

// Facts follow a lead, or other facts, as one list.
std::string document_text(const Document& document) {
  std::string text = document.lead.empty() ? "" : printable(document.lead) + "\n";
  bool facts_above = true;
  for (const DocumentSection& section : document.sections) {
    const Body body = text_body(section);
    if (body.text.empty()) continue;
    if (!text.empty() && !(facts_above && body.facts_first)) text += "\n";
    text += body.text;
    facts_above = body.facts_last;
  }
  return text;
}

}  // namespace hone
