// A report before it is text, Markdown or a page: sections make it of results, writers write it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hone/base/metric.h"

namespace hone {

// Whether a word is good or bad news; pages colour it.
enum class Tone { Plain, Good, Warn, Bad };

// Text as it is: writers make it mean nothing but itself.
struct Cell {
  std::string text = {};
  Tone tone = Tone::Plain;
  std::string whole = {};  // Where `text` is short for it; pages show it at the pointer.

  Cell(std::string words, Tone how = Tone::Plain) : text(std::move(words)), tone(how) {}
  Cell(const char* words) : text(words) {}

  static Cell short_for(std::string words, std::string whole) {
    Cell cell(std::move(words));
    if (whole != cell.text) cell.whole = std::move(whole);
    return cell;
  }
};

struct Column {
  std::string name = {};
  bool number = false;  // Aligned on the right.
  bool words = false;   // No name: it is never shortened.
};

using TableRow = std::vector<Cell>;

// Rows have as many cells as there are columns.
struct DataTable {
  std::vector<Column> columns = {};
  std::vector<TableRow> rows = {};
  // Columns are what is compared: of more than a few, pages show a line for each, which can be sorted.
  bool turned = false;
  // On a terminal it is no wider than that: names lose their middle, and if that is not enough,
  // columns on the right are left out, with a line that says so.
  bool narrow = false;
};

struct Paragraph {
  std::string text = {};
};

// Of equal rank, one line each.
struct Sentences {
  std::vector<std::string> lines = {};
};

// "latency  12 ms": a word and what there is to say of it.
struct Facts {
  std::vector<std::pair<std::string, std::string>> items = {};
};

struct ListItem {
  std::string title = {};
  Facts facts = {};
};

// Of equal rank, below each other.
struct ItemList {
  std::string heading = {};  // A line above them; may be empty.
  std::vector<ListItem> items = {};
};

// Numbered from `first` on.
struct NumberedList {
  std::string heading = {};  // A line above them; may be empty.
  size_t first = 1;
  std::vector<ListItem> items = {};
};

// Lines that stay as they are: a file, or a part of one.
struct Listing {
  std::string text = {};
};

struct Bar {
  std::string name = {};
  double value = 0;
  std::string text = {};  // The value with its unit.
  std::optional<double> low = {};
  std::optional<double> high = {};
  Tone tone = Tone::Plain;
  std::optional<Mode> mode = {};  // Colours the bar by where the number comes from.
};

// Charts are for pages; what they show also stands in a table or a sentence.
struct BarChart {
  std::string title = {};
  std::string caption = {};
  std::vector<Bar> bars = {};
  bool logarithmic = false;
  std::optional<double> limit = {};  // A line across the bars.
};

// One bar in parts that add up to a whole.
struct PartsChart {
  std::string title = {};
  std::vector<Bar> parts = {};
};

struct StackedBar {
  std::string name = {};
  std::string text = {};            // The whole with its unit.
  std::vector<double> values = {};  // Of the parts, in their order.
  std::optional<double> low = {};   // Of the whole.
  std::optional<double> high = {};
};

// Bars in the same parts, on one scale.
struct StackedChart {
  std::string title = {};
  std::string caption = {};
  std::vector<std::string> parts = {};
  std::vector<StackedBar> bars = {};
};

// A value that changes at moments: from x on it is y.
struct StepLine {
  std::string name = {};
  std::vector<std::pair<double, double>> steps = {};
};

// Over time, y logarithmic.
struct StepChart {
  std::string title = {};
  std::string caption = {};
  std::string x_axis = {};
  std::string y_axis = {};
  double end = 0;  // Of x, which begins at 0.
  std::vector<StepLine> lines = {};
};

struct ScatterPoint {
  std::string name = {};
  Metric x = {};
  Metric y = {};
  bool filled = false;
};

struct ScatterChart {
  std::string title = {};
  std::string caption = {};
  std::string x_axis = {};
  std::string y_axis = {};
  std::vector<ScatterPoint> points = {};
  bool front = true;  // A line through the points that no other one beats: the less the better,
                      // but for y where `more_y_is_better`.
  bool more_y_is_better = false;
  bool linear_x = false;  // Both are logarithmic otherwise; pages can show either.
  bool linear_y = false;
  std::optional<double> limit = {};  // An upright line at that x.
};

struct NetworkBox {
  std::string name = {};
  std::string about = {};           // "conv · 12.8 M MACs".
  std::optional<double> heat = {};  // 0 to 1: the warmer, the more; none: no colour.
  std::vector<size_t> reads = {};   // The boxes above it that it reads of.
};

// A box for every layer, below all that it reads.
struct NetworkChart {
  std::string title = {};
  std::string caption = {};
  std::vector<NetworkBox> boxes = {};
};

using Block =
    std::variant<Paragraph, Sentences, Facts, ItemList, NumberedList, DataTable, Listing, BarChart,
                 PartsChart, StackedChart, StepChart, ScatterChart, NetworkChart>;
using Blocks = std::vector<Block>;

struct DocumentSection {
  std::string title = {};
  Blocks blocks = {};
};

// Where a result comes from.
struct Provenance {
  std::string tool = {};     // "hone 0.1.0".
  std::string command = {};  // The command line that made it.
  // What the result file says about the model: name, format, sha256, ...
  std::vector<std::pair<std::string, std::string>> model = {};
  // Where and how it ran: target, device, seed, ...
  std::vector<std::pair<std::string, std::string>> run = {};
};

// All of it, in words.
Facts facts_of(const Provenance& from);

// What to run next, ready to copy.
struct NextStep {
  std::string what = {};     // "See why it is slow:".
  std::string command = {};  // Empty where the words say what to do.
};

struct Document {
  std::string title = {};     // "int8.onnx on cpu, validated".
  std::string headline = {};  // What to take from it when reading one sentence.
  Tone tone = Tone::Plain;    // Of the headline.
  std::string lead = {};      // What the text for a terminal begins with, in place of the title.
  std::vector<DocumentSection> sections = {};
  Provenance from = {};
  std::vector<NextStep> next = {};
};

}  // namespace hone
