#include "hone/workbench/layer_times.h"

#include <algorithm>

#include "hone/profile/measure.h"

namespace hone {

namespace {

LayerTimes modelled_times(const Program& program, const ModelledRun& run) {
  const std::vector<StepInfo> steps = program.steps();
  LayerTimes times;
  for (size_t step = 0; step < steps.size(); ++step) {
    times[steps[step].node->name] += run.steps[step].us;
  }
  return times;
}

}  // namespace

Result<LayerTimes> layer_times(const Graph& graph, const std::string& target,
                               const std::vector<Item>& inputs) {
  HONE_TRY(const TargetDef* def, find_target(target));
  HONE_TRY(const std::unique_ptr<Program> program,
           def->open()->compile(std::move(*graph.clone()), {.threads = 1}));
  if (const auto run = program->modelled()) return modelled_times(*program, *run);
  const std::unique_ptr<Session> session = program->open();
  HONE_TRY(const Samples samples, sample(*session, inputs, {.seconds = 1}, 2));
  const std::vector<StepInfo> steps = program->steps();
  LayerTimes times;
  for (size_t step = 0; step < steps.size(); ++step) {
    std::vector<double> seconds;
    for (const WatchedRun& run : samples.watched) {
      seconds.push_back(run.seconds_of(step));
    }
    if (seconds.empty()) continue;
    const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::ranges::nth_element(seconds, middle);
    times[steps[step].node->name] += *middle * 1e6;
  }
  return times;
}

double us_of(const LayerTimes& times, const std::string& layer) {
  const auto found = times.find(layer);
  return found == times.end() ? 0 : found->second;
}

}  // namespace hone
