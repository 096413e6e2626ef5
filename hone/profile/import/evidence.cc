#include "hone/profile/import/evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/profile/latency.h"
#include "hone/profile/statistics.h"

namespace hone {
namespace {

constexpr size_t kEvidenceBlocks = 8;

// The half of the runs that took about as long as the median. Of two that are as far from it, which is
// so of every even number of them, the earlier comes first.
std::vector<size_t> typical_imported_runs(const std::vector<double>& whole_ms) {
  constexpr double kAsFar = 1e-6;  // Of the median; tools round times in their own ways.
  const double middle = median(whole_ms);
  const auto far = [&](size_t r) {
    const double ms = std::abs(whole_ms[r] - middle);
    return middle > 0 ? std::round(ms / (kAsFar * middle)) : ms;
  };
  std::vector<size_t> runs(whole_ms.size());
  std::iota(runs.begin(), runs.end(), size_t{0});
  std::ranges::stable_sort(runs, {}, far);
  runs.resize((runs.size() + 1) / 2);
  return runs;
}

// Work that only some runs have counts, as its time does, for a part of a run.
void scale_work(double part, StepProfile& step) {
  const auto scaled = [&](auto amount) {
    return static_cast<decltype(amount)>(part * static_cast<double>(amount));
  };
  step.read_bytes = scaled(step.read_bytes);
  step.macs = scaled(step.macs);
  step.flops = scaled(step.flops);
}

}  // namespace

Profile imported_profile(std::string tool, std::string target) {
  Profile profile;
  profile.tool = std::move(tool);
  profile.target = std::move(target);
  profile.threads = 0;
  profile.precision = "";
  return profile;
}

void add_step(StepProfile step, Profile& profile, const std::vector<std::string>& layers) {
  LayerGroup group{.name = step.name, .sources = {}, .steps = {profile.steps.size()}, .ended = ""};
  for (const std::string& layer : layers.empty() ? std::vector{step.name} : layers) {
    group.sources.push_back(profile.sources.size());
    profile.sources.push_back({layer, step.op});
  }
  step.sources = group.sources;
  profile.steps.push_back(std::move(step));
  profile.layers.push_back(std::move(group));
}

void add_idle_layer(std::string name, std::string op, std::string why, Profile& profile) {
  profile.layers.push_back(
      {.name = name, .sources = {profile.sources.size()}, .steps = {}, .ended = std::move(why)});
  profile.sources.push_back({std::move(name), std::move(op)});
}

void add_latency(std::string name, double ms, int64_t n, std::string note, Profile& profile) {
  profile.latency.push_back({.name = std::move(name),
                             .value = ms,
                             .unit = "ms",
                             .mode = profile.mode,
                             .n = n,
                             .note = std::move(note)});
}

void add_runs(std::vector<double> whole_ms, const std::vector<std::vector<double>>& step_us,
              Profile& profile) {
  const std::vector<size_t> typical = typical_imported_runs(whole_ms);
  for (size_t s = 0; s < profile.steps.size(); ++s) {
    StepProfile& step = profile.steps[s];
    double sum = 0;
    size_t there = 0;
    for (const size_t r : typical) {
      sum += step_us[s][r];
      if (step_us[s][r] > 0) ++there;
    }
    const auto runs = static_cast<double>(typical.size());
    step.us = sum / runs;
    if (there < typical.size()) scale_work(static_cast<double>(there) / runs, step);
    step.us_p10 = quantile(step_us[s], 0.1);
    step.us_p90 = quantile(step_us[s], 0.9);
    step.us_blocks = block_medians(step_us[s], kEvidenceBlocks);
  }
  profile.latency = latency_metrics(whole_ms);
  profile.unstable = unsteady_reasons(whole_ms);
  if (std::string hiccup = long_runs_text(long_runs(whole_ms), whole_ms.size()); !hiccup.empty()) {
    profile.unstable.insert(profile.unstable.begin(), std::move(hiccup));
  }
  profile.samples_ms = std::move(whole_ms);
}

size_t middle_run(const std::vector<double>& whole_ms) {
  return typical_imported_runs(whole_ms)[0];
}

void finish(Profile& profile) {
  double total = 0;
  for (const StepProfile& step : profile.steps) total += step.us;
  for (StepProfile& step : profile.steps) step.share = total == 0 ? 0 : step.us / total;
  for (LayerGroup& group : profile.layers) {
    for (const size_t s : group.steps) {
      group.us += profile.steps[s].us;
      group.share += profile.steps[s].share;
    }
  }
  if (!profile.timeline.empty()) return;
  double start = 0;
  for (size_t s = 0; s < profile.steps.size(); ++s) {
    profile.timeline.push_back({s, 0, start, profile.steps[s].us});
    start += profile.steps[s].us;
  }
}

}  // namespace hone
