#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/inspected_text.h"

namespace hone {
namespace {

// A terminal has the same among the lines of the model.
Blocks inspected_targets_blocks(const Inspection& inspection, const ShowOptions& show) {
  if (!show.page || inspection.targets.empty()) return {};
  const size_t nodes = inspection.layers.size();
  DataTable targets{.columns = {{"targets"}, {"nodes they run", true}, {"left out", true}}};
  DataTable refused{.columns = {{"layer"}, {"operator"}, {"left out by"}, {"why"}}};
  for (const AlikeTargets& alike : alike_targets(inspection)) {
    const std::vector<UnsupportedLayer>& unsupported = *alike.unsupported;
    const size_t out = unsupported.size();
    targets.rows.push_back({join(alike.names),
                            str(nodes - out, " of ", nodes),
                            {str(out), out == 0 ? Tone::Plain : Tone::Warn}});
    for (const UnsupportedLayer& layer : unsupported) {
      refused.rows.push_back({layer.node, layer.op, join(alike.names),
                              layer.reason + in_brackets(layer.hint, show.words)});
    }
  }
  return {targets, refused};
}

}  // namespace

extern const SectionDef section_inspected_targets = {.title = "Where it runs",
                                                     .of_inspection = inspected_targets_blocks};

}  // namespace hone
