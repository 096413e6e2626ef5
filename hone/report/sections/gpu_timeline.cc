// What a run was to a GPU: how long it worked, and for whom it waited.

#include "hone/base/percent.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/report.h"

namespace hone {
namespace {

struct NamedTime {
  const char* name;
  double us;
};

std::vector<NamedTime> idle_times(const GpuTimeline& gpu) {
  return {{"launching", gpu.launching_us},         {"data being prepared", gpu.loading_us},
          {"other work of the host", gpu.host_us}, {"waiting", gpu.waiting_us},
          {"feeding copies", gpu.copying_us},      {"taking memory", gpu.allocating_us},
          {"inside CUDA graphs", gpu.graph_us},    {"not explained", gpu.unknown_us}};
}

std::string part_of_gpu_run(const GpuTimeline& gpu, double us) {
  return percent(gpu.run_us > 0 ? us / gpu.run_us : 0);
}

// "54 kernels and 2 copies".
std::string busy_text(const GpuTimeline& gpu) {
  int64_t copies = 0;
  for (const GpuCost& cost : gpu.copies) copies += cost.count;
  const std::string kernels = str(gpu.kernels, gpu.kernels == 1 ? " kernel" : " kernels");
  return copies == 0 ? kernels : str(kernels, " and ", copies, copies == 1 ? " copy" : " copies");
}

std::string idle_text(const GpuTimeline& gpu) {
  std::vector<std::string> parts;
  for (const auto& [name, us] : idle_times(gpu)) {
    if (us > 0) parts.push_back(str(name, " ", part_of_gpu_run(gpu, us)));
  }
  return join(parts);
}

std::string costs_text(const std::vector<GpuCost>& costs) {
  constexpr size_t kShown = 4;
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(costs.size(), kShown); ++i) {
    const GpuCost& cost = costs[i];
    std::string part = str(cost.what, " ", human_duration(cost.us * 1e-6));
    if (cost.bytes > 0) part += str(" for ", human_bytes(cost.bytes));
    if (cost.count > 1) part += str(" in ", cost.count);
    parts.push_back(std::move(part));
  }
  if (costs.size() > kShown) parts.push_back(str(costs.size() - kShown, " more"));
  return join(parts);
}

std::string clock_text(const GpuTimeline& gpu) {
  if (gpu.running_mhz == 0) return "";
  std::string text =
      str(fixed(gpu.running_mhz, 0), " of ", fixed(gpu.clock_mhz, 0), " MHz (measured)");
  if (!gpu.slowed_by.empty()) text += str(", held back by ", join(gpu.slowed_by, " and "));
  return text;
}

Facts gpu_facts(const GpuTimeline& gpu) {
  Facts facts;
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) facts.items.emplace_back(name, text);
  };
  add("gpu", str("busy ", part_of_gpu_run(gpu, gpu.busy_us), " of ",
                 human_duration(gpu.run_us * 1e-6), " with ", busy_text(gpu), " (measured)"));
  add("clock", clock_text(gpu));
  add("idle", idle_text(gpu));
  add("copies", costs_text(gpu.copies));
  add("waits", costs_text(gpu.waits));
  add("memory", costs_text(gpu.allocations));
  add("host", costs_text(gpu.host_work));
  return facts;
}

DataTable gpu_table(const GpuTimeline& gpu) {
  DataTable table{.columns = {{"GPU"}, {"of the run, measured", true}, {"time", true}}};
  const auto add = [&](const std::string& name, double us) {
    table.rows.push_back({name, part_of_gpu_run(gpu, us), human_duration(us * 1e-6)});
  };
  add(str("busy with ", busy_text(gpu)), gpu.busy_us);
  for (const auto& [name, us] : idle_times(gpu)) {
    if (us > 0) add(str("idle, ", name), us);
  }
  if (const std::string clock = clock_text(gpu); !clock.empty()) {
    table.rows.push_back({"clock", clock, ""});
  }
  return table;
}

DataTable cost_table(const GpuTimeline& gpu) {
  DataTable table{.columns = {{"what"}, {"by"}, {"times", true}, {"time", true}, {"bytes", true}}};
  const auto add = [&](const char* kind, const std::vector<GpuCost>& costs) {
    for (const GpuCost& cost : costs) {
      table.rows.push_back({kind, cost.what, str(cost.count), human_duration(cost.us * 1e-6),
                            cost.bytes > 0 ? human_bytes(cost.bytes) : ""});
    }
  };
  add("copies", gpu.copies);
  add("waits", gpu.waits);
  add("memory", gpu.allocations);
  add("work of the host", gpu.host_work);
  return table;
}

Blocks gpu_timeline_blocks(const ReportRun& run, const ShowOptions& show) {
  if (!run.profile.gpu || run.profile.gpu->run_us == 0) return {};
  const GpuTimeline& gpu = *run.profile.gpu;
  if (!show.page) return {gpu_facts(gpu)};
  Blocks blocks = {gpu_table(gpu)};
  if (DataTable costs = cost_table(gpu); !costs.rows.empty()) blocks.push_back(std::move(costs));
  return blocks;
}

}  // namespace

extern const SectionDef section_gpu_timeline = {.title = "GPU and host",
                                                .of_run = gpu_timeline_blocks};

}  // namespace hone
