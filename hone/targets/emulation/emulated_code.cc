#include "hone/targets/emulation/emulated_code.h"

#include "hone/targets/c_code/budget.h"

namespace hone::emulation {
namespace {

StepFamily family_of(const c_code::Step& step) {
  const std::string_view kernel = step.calls[0].kernel;
  if (kernel.find("depthwise") != std::string_view::npos) return StepFamily::Depthwise;
  return node_cost(*step.node).macs > 0 ? StepFamily::Product : StepFamily::Other;
}

}  // namespace

Metric counted(std::string name, double value, std::string note) {
  return {.name = std::move(name), .value = value, .mode = Mode::Emulated, .note = std::move(note)};
}

std::vector<StepInfo> EmulatedCode::steps() const {
  std::vector<StepInfo> infos;
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    const c_code::Step& step = plan_->steps[s];
    std::string_view kernel = step.calls[0].kernel;
    kernel.remove_prefix(std::string_view("hone_").size());
    infos.push_back({.node = step.node,
                     .kind = {.family = family_of(step),
                              .work = std::string(kernel),
                              .precision = Arithmetic::Int8},
                     .cost = node_cost(*step.node),
                     .packed_bytes = c_code::constants_of(step),
                     .scratch_bytes = plan_->live_bytes[s]});
  }
  return infos;
}

std::optional<MemorySummary> EmulatedCode::memory() const {
  MemorySummary summary;
  summary.arena_bytes = plan_->arena_bytes;
  summary.weight_bytes = plan_->constant_bytes;
  return summary;
}

}  // namespace hone::emulation
