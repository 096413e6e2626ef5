#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/report/report.h"
#include "hone/report/sections/change_text.h"

namespace hone {
namespace {

Tone tone_of(const LayerChange& layer) {
  if (layer.change == Change::Faster) return Tone::Good;
  return layer.change == Change::Slower ? Tone::Bad : Tone::Plain;
}

DataTable table_of(const ProfileDiff& diff, size_t rows) {
  DataTable table{.columns = {{"layer"},
                              {"before us", true},
                              {"after us", true},
                              {"change us", true},
                              {"change %", true},
                              {"verdict"}}};
  std::vector<std::string> names;
  for (const LayerChange& layer : diff.layers) names.push_back(layer.name);
  names = short_names(names);
  for (size_t i = 0; i < names.size(); ++i) {
    const LayerChange& layer = diff.layers[i];
    if (rows > 0 && table.rows.size() == rows) break;
    table.rows.push_back({Cell::short_for(names[i], layer.name), fixed(layer.us_a, 1),
                          fixed(layer.us_b, 1), fixed(layer.delta_us(), 1),
                          change_percent(layer.us_a, layer.us_b),
                          Cell(change_word(layer), tone_of(layer))});
  }
  return table;
}

Blocks changed_layers_blocks(const Report& report, const ShowOptions& show) {
  Blocks blocks;
  for (size_t i = 0; i < report.comparisons.size(); ++i) {
    const ReportRun& run = report.runs[i + 1];
    if (report.comparisons.size() > 1) {
      if (report.comparisons[i].unrelated) continue;
      blocks.push_back(Paragraph{str(report.runs[run.base].label, " to ", run.label, ":")});
    }
    blocks.push_back(table_of(report.comparisons[i], show.rows));
  }
  return blocks;
}

}  // namespace

extern const SectionDef section_changed_layers = {.title = "Changed layers",
                                                  .of_report = changed_layers_blocks};

}  // namespace hone
