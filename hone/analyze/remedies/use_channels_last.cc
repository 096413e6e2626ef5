#include "hone/analyze/remedy_def.h"

namespace hone {
namespace {

Result<bool> apply_use_channels_last(const Prescription& model, const Finding*, std::string&) {
  const std::vector<size_t> turned = use_channels_last(*model.graph);
  if (turned.empty()) return false;
  std::vector<size_t>& all = model.io->channels_last;
  all.insert(all.end(), turned.begin(), turned.end());
  return true;
}

}  // namespace

extern const RemedyDef remedy_use_channels_last = {
    .id = "use_channels_last",
    .summary = "Takes images with their channels last.",
    .rules = {"npu_reformat", "input_layout", "gpu_layout_changes"},
    .changes_io = true,
    .apply = apply_use_channels_last,
};

}  // namespace hone
