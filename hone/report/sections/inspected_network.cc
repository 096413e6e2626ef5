#include <algorithm>
#include <cmath>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/results/inspection.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

constexpr size_t kMostBoxes = 2000;  // That a browser draws at once without a pause.

std::string about_layer(const InspectedLayer& layer) {
  return layer.macs > 0 ? str(layer.op, " · ", human_count(layer.macs), " MACs") : layer.op;
}

// The square root keeps small ones apart.
std::optional<double> heat_of(int64_t macs, int64_t most) {
  if (macs <= 0 || most <= 0) return std::nullopt;
  return std::sqrt(static_cast<double>(macs) / static_cast<double>(most));
}

// Charts are for pages; what a layer reads is in files since they have it.
Blocks inspected_network_blocks(const Inspection& inspection, const ShowOptions& show) {
  const std::vector<InspectedLayer>& layers = inspection.layers;
  const bool joined =
      std::ranges::any_of(layers, [](const InspectedLayer& layer) { return !layer.reads.empty(); });
  if (!show.page || !joined) return {};
  if (layers.size() > kMostBoxes) {
    return {
        Paragraph{str(layers.size(), " layers are too many to draw: the table below has them")}};
  }
  int64_t most = 0;
  for (const InspectedLayer& layer : layers) most = std::max(most, layer.macs);
  NetworkChart chart{.title = "Layers and what they read",
                     .caption =
                         "A box is a layer; lines lead from what makes a value to what reads "
                         "it. The warmer, the more multiply-accumulates (counted)."};
  for (const InspectedLayer& layer : layers) {
    chart.boxes.push_back({layer.name, about_layer(layer), heat_of(layer.macs, most), layer.reads});
  }
  return {chart};
}

}  // namespace

extern const SectionDef section_inspected_network = {.title = "The network",
                                                     .of_inspection = inspected_network_blocks};

}  // namespace hone
