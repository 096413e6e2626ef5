#include "hone/analyze/remedy_def.h"

namespace hone {
namespace {

Result<bool> apply_enable_passes(const Prescription& model, const Finding*, std::string&) {
  if (model.options->disabled_passes.empty()) return false;
  model.options->disabled_passes.clear();
  return true;
}

}  // namespace

extern const RemedyDef remedy_enable_passes = {
    .id = "enable_passes",
    .summary = "Switches the graph passes on that were left out.",
    .rules = {"passes_disabled"},
    .touches = Touches::Running,
    .apply = apply_enable_passes,
};

}  // namespace hone
