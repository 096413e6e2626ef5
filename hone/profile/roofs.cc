#include "hone/profile/roofs.h"

#include <algorithm>

#include "hone/base/str.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

// Bytes are read and written about as often: the rate of copying, which counts both.
double copy_us(const DeviceFile& device, int threads, double bytes, const MemoryLevel& level) {
  const double rate = rate_for(level.copy, threads, device.threads);
  return rate > 0 ? 1e6 * bytes / rate : 0;
}

double read_us(const DeviceFile& device, int threads, double bytes, const MemoryLevel& level) {
  const double rate = rate_for(level.read, threads, device.threads);
  return rate > 0 ? 1e6 * bytes / rate : 0;
}

Metric roof_metric(const DeviceFile& device, std::string name, double rate, std::string unit,
                   int64_t n) {
  return {.name = std::move(name),
          .value = rate * 1e-9,
          .unit = std::move(unit),
          .mode = device.mode,
          .n = n,
          .note = str(device.name, ", ", device.date)};
}

void list_roofs(const DeviceFile& device, Profile& profile) {
  profile.roofs.clear();
  for (const ComputeRoof& roof : device.compute) {
    profile.roofs.push_back(roof_metric(device, str(roof.precision, " ", roof.instruction),
                                        rate_for(roof.ops, profile.threads, device.threads),
                                        "GFLOP/s", roof.n));
  }
  for (const MemoryLevel& level : device.memory) {
    profile.roofs.push_back(roof_metric(device, level.name,
                                        rate_for(level.copy, profile.threads, device.threads),
                                        "GB/s", level.n));
  }
}

}  // namespace

double rate_for(const Rate& rate, int threads, int all_threads) {
  if (threads <= 1 || rate.all == 0) return rate.one;
  if (threads >= all_threads) return rate.all;
  return std::min(rate.all, rate.one * threads);
}

RoofTime roof_time(const DeviceFile& device, int threads, const RoofWork& work) {
  RoofTime time;
  if (const auto roof = device.compute_roof(work.precision)) {
    time.compute_us = 1e6 * work.flops / rate_for(roof->ops, threads, device.threads);
  }
  double activation_us = 0;
  double weight_us = 0;
  const auto near = device.level_for(static_cast<uint64_t>(work.activation_bytes));
  if (near) activation_us = copy_us(device, threads, work.activation_bytes, *near);
  const auto far =
      device.level_for(static_cast<uint64_t>(std::max(work.footprint_bytes, work.weight_bytes)));
  if (far) weight_us = read_us(device, threads, work.weight_bytes, *far);
  time.memory_us = activation_us + weight_us;
  time.us = std::max(time.compute_us, time.memory_us);
  // A kernel that does nothing takes as long.
  if (device.launch && time.us < device.launch->graph_node_us) {
    time.us = device.launch->graph_node_us;
    time.bound = "launch";
    return time;
  }
  if (time.compute_us >= time.memory_us) {
    time.bound = time.compute_us > 0 ? "compute" : "";
  } else {
    time.bound = weight_us > activation_us ? far->name : near->name;
  }
  return time;
}

namespace {

// What a branch or a loop costs is a bound, and may not be what a run has done.
bool has_bodies(const std::string& op) {
  const OpDef* def = find_op(op);
  return def != nullptr && std::ranges::any_of(def->attrs, [](const AttrDef& attr) {
           return std::holds_alternative<std::shared_ptr<Graph>>(attr.value);
         });
}

}  // namespace

void apply_roofs(const DeviceFile& device, Profile& profile) {
  double footprint = static_cast<double>(profile.arena_bytes);
  for (const StepProfile& step : profile.steps) {
    if (!has_bodies(step.op)) footprint += static_cast<double>(step.weight_bytes);
  }
  for (StepProfile& step : profile.steps) {
    const bool elsewhere = device.processors > 0 && step.kind.on_host;
    if (has_bodies(step.op) || elsewhere) continue;
    const RoofTime time =
        roof_time(device, profile.threads,
                  {.precision = std::string(name_of(step.kind.precision)),
                   .flops = static_cast<double>(step.flops),
                   .activation_bytes = static_cast<double>(step.read_bytes + step.written_bytes),
                   .weight_bytes = static_cast<double>(step.weight_bytes),
                   .footprint_bytes = footprint});
    step.roof_us = time.us;
    step.bound = time.bound;
  }
  list_roofs(device, profile);
}

}  // namespace hone
