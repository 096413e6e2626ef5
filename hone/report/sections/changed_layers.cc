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
  for (const LayerChange& layer : diff.layers) {
    if (rows > 0 && table.rows.size() == rows) break;
    table.rows.push_back({short_name(layer.name), fixed(layer.us_a, 1), fixed(layer.us_b, 1),
                          fixed(layer.delta_us(), 1), change_percent(layer.us_a, layer.us_b),
                          Cell(change_word(layer), tone_of(layer))});
  }
  return table;
}

Blocks changed_layers_blocks(const Report& report, const ShowOptions& show) {
  Blocks blocks;
  for (size_t i = 0; i < report.comparisons.size(); ++i) {
    if (report.comparisons.size() > 1) {
      blocks.push_back(Paragraph{str(report.runs[0].label, " to ", report.runs[i + 1].label, ":")});
    }
    blocks.push_back(table_of(report.comparisons[i], show.rows));
  }
  return blocks;
}

}  // namespace

extern const SectionDef section_changed_layers = {.title = "Changed layers",
                                                  .of_report = changed_layers_blocks};

}  // namespace hone
