#include "hone/profile/profile_program.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "hone/profile/cache_counters.h"
#include "hone/profile/core_wait.h"
#include "hone/profile/counters.h"
#include "hone/profile/gpu_run.h"
#include "hone/profile/latency.h"
#include "hone/profile/layers.h"
#include "hone/profile/memory_room.h"
#include "hone/profile/nvml.h"
#include "hone/profile/statistics.h"
#include "hone/profile/system_view.h"

namespace hone {
namespace {

constexpr size_t kBlocks = 8;
constexpr int kCounterRuns = 10;

// Microseconds of one step, run by run.
std::vector<double> times_of_step(const Samples& samples, size_t step) {
  std::vector<double> us;
  us.reserve(samples.watched.size());
  for (const WatchedRun& run : samples.watched) {
    us.push_back(1e6 * run.seconds_of(step));
  }
  return us;
}

// The part of the threads' time that went into a step's tasks. Nothing when the step was not shared
// between threads in any run.
std::optional<double> busy_part(const Samples& samples, size_t step) {
  if (samples.threads < 2) return std::nullopt;
  double busy = 0;
  double available = 0;
  for (const WatchedRun& run : samples.watched) {
    for (size_t t = 0; t < samples.threads; ++t) busy += run.busy[step * samples.threads + t];
    available += run.seconds_of(step) * static_cast<double>(samples.threads);
  }
  if (busy == 0 || available == 0) return std::nullopt;
  return std::min(1.0, busy / available);
}

// Which of the watched runs are typical: the half that took about as long as the median plain run.
std::vector<size_t> typical_runs(const Samples& samples) {
  const double middle = median(samples.plain);
  std::vector<size_t> runs(samples.watched.size());
  std::iota(runs.begin(), runs.end(), size_t{0});
  std::ranges::stable_sort(runs, {},
                           [&](size_t r) { return std::abs(samples.watched[r].whole - middle); });
  runs.resize((runs.size() + 1) / 2);
  return runs;
}

// A run that lost its core for a while did so in one step: times are cut to the step's usual ones.
double mean_over(const std::vector<double>& values, const std::vector<size_t>& which, double low,
                 double high) {
  double sum = 0;
  for (const size_t i : which) sum += std::clamp(values[i], low, high);
  return sum / static_cast<double>(which.size());
}

void add_times(const Samples& samples, Profile& profile) {
  const std::vector<size_t> typical = typical_runs(samples);
  double total = 0;
  for (size_t s = 0; s < profile.steps.size(); ++s) {
    StepProfile& step = profile.steps[s];
    const std::vector<double> us = times_of_step(samples, s);
    step.us_p10 = quantile(us, 0.1);
    step.us_p90 = quantile(us, 0.9);
    step.us = mean_over(us, typical, step.us_p10, step.us_p90);
    step.us_blocks = block_medians(us, kBlocks);
    step.busy = busy_part(samples, s);
    total += step.us;
  }
  for (StepProfile& step : profile.steps) step.share = total == 0 ? 0 : step.us / total;
}

void add_latency(const Samples& samples, Profile& profile) {
  for (const double seconds : samples.plain) profile.samples_ms.push_back(1e3 * seconds);
  profile.latency = latency_metrics(profile.samples_ms);
  profile.phases.push_back({.name = "first_run", .value = 1e3 * samples.first_run, .unit = "ms"});
  if (samples.device.empty()) return;
  profile.phases.push_back({.name = "on_device",
                            .value = 1e3 * median(samples.device),
                            .unit = "ms",
                            .n = static_cast<int64_t>(samples.device.size()),
                            .note = "of a steady run: the accelerator, without copies in and out"});
}

// Each watched run against the plain run beside it: what moves both, moves neither difference.
void add_overhead(const Samples& samples, Profile& profile) {
  std::vector<double> difference;
  std::vector<double> whole;
  std::vector<double> outside;
  for (size_t i = 0; i < samples.watched.size(); ++i) {
    const WatchedRun& run = samples.watched[i];
    whole.push_back(1e3 * run.whole);
    difference.push_back(run.whole - samples.plain[i]);
    if (run.ends.empty()) continue;
    double inside = 0;
    for (size_t s = 0; s < run.ends.size(); ++s) inside += run.seconds_of(s);
    outside.push_back(1 - inside / run.whole);
  }
  profile.watched_ms = median(whole);
  const double plain = median(samples.plain);
  const Interval interval = median_interval(difference);
  profile.overhead.push_back({.name = "watching",
                              .value = 100 * median(difference) / plain,
                              .unit = "%",
                              .n = static_cast<int64_t>(difference.size()),
                              .low = 100 * interval.low / plain,
                              .high = 100 * interval.high / plain,
                              .note = "of the median run; pairs of watched and plain runs"});
  if (outside.empty()) return;
  double sum = 0;
  for (const StepProfile& step : profile.steps) {
    if (!profile.gpu || !step.kind.on_host) sum += step.us;
  }
  profile.overhead.push_back({.name = "outside_steps",
                              .value = 100 * median(outside),
                              .unit = "%",
                              .n = static_cast<int64_t>(outside.size()),
                              .note = profile.gpu ? "of a run: copies, launching, waiting"
                                                  : "of a run: binding inputs, copying outputs"});
  const double steps_run = profile.gpu ? median(samples.device) : plain;
  profile.overhead.push_back(
      {.name = "sum_of_steps",
       .value = 100 * sum * 1e-6 / steps_run,
       .unit = "%",
       .n = static_cast<int64_t>(whole.size()),
       .note = profile.gpu ? "of the time on the GPU in runs not watched" : "of the median run"});
  if (!profile.gpu) return;
  std::vector<double> starting;
  for (const WatchedRun& run : samples.watched) starting.push_back(run.starting);
  profile.overhead.push_back({.name = "before_steps",
                              .value = 100 * median(starting) / steps_run,
                              .unit = "%",
                              .n = static_cast<int64_t>(starting.size()),
                              .note = "of that time: between the copies and the first kernel"});
}

void add_timeline(const Samples& samples, Profile& profile) {
  if (samples.watched.empty() || profile.steps.empty()) return;
  const double middle = *profile.watched_ms * 1e-3;
  const WatchedRun& run = *std::ranges::min_element(
      samples.watched, {}, [&](const WatchedRun& one) { return std::abs(one.whole - middle); });
  for (size_t s = 0; s < profile.steps.size(); ++s) {
    const double start = run.begins[s];
    const bool beside = profile.gpu && profile.steps[s].kind.on_host;  // On a track of its own.
    profile.timeline.push_back({s, beside ? 1 : 0, 1e6 * start, 1e6 * run.seconds_of(s)});
    for (size_t t = 1; t < samples.threads; ++t) {
      const double busy = run.busy[s * samples.threads + t];
      if (busy > 0) {
        profile.timeline.push_back({s, static_cast<int>(t), 1e6 * start, 1e6 * busy});
      }
    }
  }
}

// Those of an accelerator tell of its steps; the CPU's would tell of its host's waiting.
void add_accelerator_counters(Session& session, Profile& profile) {
  const auto counted = session.count();
  if (!counted.ok()) {
    profile.counters.push_back(unavailable("counters", "", counted.error().message));
    return;
  }
  for (size_t s = 0; s < counted->size(); ++s) {
    std::vector<Metric>& counters = profile.steps[s].counters;
    counters.insert(counters.end(), (*counted)[s].begin(), (*counted)[s].end());
  }
}

Status add_counters(const Program& program, const std::vector<Item>& inputs,
                    const ProfileOptions& options, Profile& profile) {
  CounterProfile counted;
  if (options.counters == CounterSource::Hardware) {
    HONE_TRY(counted, count_events(program, inputs, kCounterRuns));
  } else if (options.counters == CounterSource::Simulated) {
    HONE_TRY(counted, simulate_caches(program));
  }
  profile.counters = std::move(counted.whole);
  for (size_t s = 0; s < counted.steps.size(); ++s) {
    profile.steps[s].counters = std::move(counted.steps[s]);
  }
  return Done{};
}

// Between the quartiles of the blocks: one of eight that something hit says nothing of the machine.
void add_yardstick(const Samples& samples, Profile& profile) {
  const std::vector<double> blocks = block_medians(samples.yardstick, kBlocks);
  const double low = quantile(blocks, 0.25), high = quantile(blocks, 0.75);
  profile.system.push_back({.name = "yardstick",
                            .value = 1e6 * median(samples.yardstick),
                            .unit = "us",
                            .n = static_cast<int64_t>(samples.yardstick.size()),
                            .low = 1e6 * low,
                            .high = 1e6 * high,
                            .note = "a fixed piece of arithmetic beside the runs"});
}

void add_clock(const Accelerator& gpu, GpuTimeline& timeline) {
  const std::optional<GpuClock> clock = read_gpu_clock(gpu.bus);
  if (!clock) return;
  timeline.clock_mhz = clock->most_mhz;
  timeline.running_mhz = clock->mhz;
  timeline.slowed_by = clock->slowed_by;
}

void add_stability(const Samples& samples, Profile& profile) {
  profile.unstable = unsteady_reasons(samples.plain);
  profile.threads = static_cast<int>(samples.threads);
  const CoreWait wait = core_wait(profile);
  if (wait.busy()) {
    profile.unstable.push_back(str(text_of(wait), ": other work shares the processor"));
  }
}

}  // namespace

StepProfile describe_step(const StepInfo& info) {
  StepProfile step;
  const Node& node = *info.node;
  step.name = node.name.empty() ? node.outputs[0]->name : node.name;
  step.op = node.op;
  step.kind = info.kind;
  if (const auto* layout = node.find_attr<std::string>("layout")) step.layout = *layout;
  step.output = text_of(node.outputs[0]->type.tensor);
  step.macs = info.cost.macs;
  step.flops = info.cost.flops;
  step.weight_bytes = std::max<uint64_t>(info.cost.weight_bytes, info.packed_bytes);
  step.read_bytes = info.cost.read_bytes;
  step.written_bytes = info.cost.written_bytes;
  step.counters = info.counters;
  for (const int origin : node.origins) step.sources.push_back(static_cast<size_t>(origin));
  return step;
}

std::string precision_label(const std::vector<StepProfile>& steps, std::string_view floats) {
  std::set<std::string> integers;
  bool any_float = false, all_half = true;
  for (const StepProfile& step : steps) {
    if (step.macs == 0) continue;
    const bool integer = is_integer(step.kind.precision);
    if (integer) integers.emplace(name_of(step.kind.precision));
    any_float = any_float || !integer;
    all_half = all_half && (integer || step.kind.precision == Arithmetic::Fp16);
  }
  // Devices that are not here may run halves without being asked.
  if (any_float && all_half) floats = "fp16";
  if (integers.empty()) return std::string(floats);
  std::vector<std::string> parts(integers.begin(), integers.end());
  if (any_float) parts.emplace_back(floats);
  return join(parts, " + ");
}

void add_memory(const Program& program, Profile& profile) {
  const std::optional<MemorySummary> memory = program.memory();
  if (!memory) return;
  profile.arena_bytes = memory->arena_bytes;
  profile.weight_bytes = memory->weight_bytes;
  const std::vector<StepInfo> infos = program.steps();
  for (const MemoryUse& use : memory->buffers) {
    profile.buffers.push_back(
        {use.value, use.type, use.offset, use.bytes, use.first_step, use.last_step});
    for (size_t s = use.first_step; s <= use.last_step && s < infos.size(); ++s) {
      StepProfile& step = profile.steps[s];
      step.live_during += use.bytes;
      if (s > use.first_step) step.live_before += use.bytes;
      if (s < use.last_step) step.live_after += use.bytes;
      if (use.value == infos[s].node->outputs[0]->name) step.arena_offset = use.offset;
    }
  }
  for (size_t s = 0; s < infos.size(); ++s) profile.steps[s].live_during += infos[s].scratch_bytes;
}

Result<Profile> profile_program(const Program& program, const std::vector<Item>& inputs,
                                const ProfileOptions& options) {
  Profile profile;
  profile.notes = program.notes();
  for (const StepInfo& info : program.steps()) profile.steps.push_back(describe_step(info));
  HONE_RETURN_IF_ERROR(check_room_for_run(program));
  const std::unique_ptr<Session> session = program.open();
  const SystemSnapshot before = system_snapshot();
  const auto begin = std::chrono::steady_clock::now();
  HONE_TRY(const Samples samples, sample(*session, inputs, options.stop, options.warm_ups));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto gpu = program.accelerator();
  if (gpu) profile.gpu = gpu_timeline_of(*gpu, samples);
  if (gpu) add_clock(*gpu, *profile.gpu);  // While it is still warm.
  profile.system = system_metrics(before, system_snapshot(), seconds);
  add_yardstick(samples, profile);
  add_latency(samples, profile);
  add_times(samples, profile);
  add_overhead(samples, profile);
  add_timeline(samples, profile);
  add_memory(program, profile);
  add_stability(samples, profile);
  if (!profile.gpu) {
    HONE_RETURN_IF_ERROR(add_counters(program, inputs, options, profile));
  } else if (options.counters == CounterSource::Hardware) {
    add_accelerator_counters(*session, profile);
  }
  group_layers(program.graph(), profile);
  return profile;
}

}  // namespace hone
