#include "hone/validate/layer_errors.h"

#include <algorithm>
#include <cmath>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/section_def.h"
#include "hone/validate/layer_name.h"

namespace hone {
namespace {

// More bars than these are a wall.
constexpr size_t kMostBars = 20;

std::string number(double value, int digits) {
  if (std::isfinite(value)) return fixed(value, digits);
  return value > 0 ? "inf" : "-inf";
}

TableRow layer_row(const LayerError& layer) {
  const auto lsb = [&](const ErrorSums& sums) {
    return layer.step ? number(sums.max_abs / *layer.step, 1) : std::string("-");
  };
  return {short_layer_name(layer.name),
          layer.op,
          number(layer.local.sqnr_db(), 1),
          number(layer.local.cosine(), 5),
          lsb(layer.local),
          number(layer.propagated.sqnr_db(), 1),
          number(layer.propagated.cosine(), 5),
          lsb(layer.propagated)};
}

// The worst, in running order.
std::vector<size_t> worst_layers(const LayerErrors& errors, size_t rows) {
  std::vector<size_t> order(errors.layers.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (rows == 0 || rows >= order.size()) return order;
  std::ranges::stable_sort(order, {}, [&](size_t i) { return errors.layers[i].local.sqnr_db(); });
  order.resize(rows);
  std::ranges::sort(order);
  return order;
}

BarChart chart_of_layer_errors(const Validation& validation) {
  const LayerErrors& errors = *validation.layers;
  BarChart chart{.title = "SQNR of the worst layers, each given the reference's inputs, dB",
                 .caption = str("Dashed: the ", fixed(validation.breaks.least_db, 0),
                                " dB under which a layer breaks. Layers without error are left "
                                "out."),
                 .limit = validation.breaks.least_db};
  for (const size_t i : worst_layers(errors, kMostBars)) {
    const double db = errors.layers[i].local.sqnr_db();
    if (std::isinf(db) && db > 0) continue;
    chart.bars.push_back({.name = short_layer_name(errors.layers[i].name),
                          .value = std::isfinite(db) ? std::max(db, 0.0) : 0,
                          .text = str(number(db, 1), " dB"),
                          .tone = db < validation.breaks.least_db ? Tone::Bad : Tone::Plain});
  }
  return chart;
}

Blocks layer_errors_blocks(const Validation& validation, const ShowOptions& show) {
  if (!validation.layers) return {};
  const LayerErrors& errors = *validation.layers;
  DataTable table{.columns = {{"layer"},
                              {"op"},
                              {"local dB", true},
                              {"cosine", true},
                              {"LSB", true},
                              {"propagated dB", true},
                              {"cosine", true},
                              {"LSB", true}}};
  const std::vector<size_t> shown = worst_layers(errors, show.rows);
  for (const size_t i : shown) table.rows.push_back(layer_row(errors.layers[i]));
  Sentences sentences;
  if (shown.size() < errors.layers.size()) {
    sentences.lines.push_back(str("the ", shown.size(), " worst of ", errors.layers.size(),
                                  " layers by local SQNR, in the order they run in",
                                  in_brackets({HintKind::AllRows}, show.words)));
  }
  sentences.lines.push_back(str("measured against ", validation.reference,
                                " with the operators' references, n ", errors.samples, "; ",
                                errors.unmatched, " nodes have no counterpart"));
  sentences.lines.push_back(validation.broken.sentence);
  return {chart_of_layer_errors(validation), table, sentences};
}

}  // namespace

extern const SectionDef section_layer_errors = {.title = "Layers",
                                                .of_validation = layer_errors_blocks};

}  // namespace hone
