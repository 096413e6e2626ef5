#include "hone/profile/layers.h"
#include "hone/profile/profile_program.h"

namespace hone {
namespace {

void add_placements(const Program& program, Profile& profile) {
  for (const Placement& placement : program.placements()) {
    if (placement.on_target) continue;
    const Node& node = *placement.node;
    profile.host.push_back({.name = node.name.empty() ? node.outputs[0]->name : node.name,
                            .op = node.op,
                            .reason = placement.reason,
                            .change = placement.change,
                            .boundary_bytes = placement.boundary_bytes,
                            .boundary_us = placement.boundary_us,
                            .hint = placement.hint});
  }
}

}  // namespace

Profile profile_modelled(const Program& program, const ModelledRun& run) {
  Profile profile;
  double total = 0;
  const std::vector<StepInfo> infos = program.steps();
  for (size_t s = 0; s < infos.size(); ++s) {
    StepProfile step = describe_step(infos[s]);
    step.us = step.us_p10 = step.us_p90 = run.steps[s].us;
    step.counters = run.steps[s].counters;
    step.engines = run.steps[s].engines;
    total += step.us;
    profile.steps.push_back(std::move(step));
  }
  for (StepProfile& step : profile.steps) step.share = total == 0 ? 0 : step.us / total;
  Metric median = run.latency;
  median.name = "median";
  profile.latency = {median};
  profile.mode = run.latency.mode;
  profile.step_times = "one run; every run takes the same";
  profile.step_runs = 1;
  profile.counters = run.counters;
  profile.engines = run.engines;
  profile.energy = run.energy;
  profile.memory = run.memory;
  profile.notes = run.notes;
  profile.tracks = run.tracks;
  for (const ModelledEvent& event : run.events) {
    profile.timeline.push_back({event.step, event.track, event.start_us, event.us, event.what});
  }
  add_memory(program, profile);
  add_placements(program, profile);
  group_layers(program.graph(), profile);
  return profile;
}

}  // namespace hone
