#include <algorithm>

#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/engines.h"
#include "hone/report/report.h"

namespace hone {
namespace {

// What rows are about: groups of source layers, or steps.
struct Timed {
  std::string name;
  std::vector<size_t> steps;
  double us;
  double share;
};

std::vector<Timed> timed_of(const Profile& profile, const ShowOptions& show) {
  std::vector<Timed> rows;
  if (show.steps) {
    for (size_t s = 0; s < profile.steps.size(); ++s) {
      const StepProfile& step = profile.steps[s];
      rows.push_back({step.name, {s}, step.us, step.share});
    }
  } else {
    for (const LayerGroup& group : profile.layers) {
      if (!group.steps.empty()) rows.push_back({group.name, group.steps, group.us, group.share});
    }
    std::ranges::stable_sort(rows, {}, [](const Timed& row) { return row.steps[0]; });
  }
  if (!show.in_order) std::ranges::stable_sort(rows, std::ranges::greater{}, &Timed::us);
  return rows;
}

// Times below it are shown as 0.0, of which no rate can be told.
constexpr double kShownUs = 0.05;

// Billions a second; "-" for nothing, or for what was not told.
std::string rate(double amount, double us) {
  if (amount == 0 || us < kShownUs) return "-";
  const double billions = amount / us * 1e-3;
  return fixed(billions, billions < 0.1 ? 3 : 1);
}

// The longest.
const StepProfile& main_step(const Profile& profile, const Timed& row) {
  return profile.steps[*std::ranges::max_element(row.steps, {},
                                                 [&](size_t s) { return profile.steps[s].us; })];
}

std::vector<std::string> roof_cells(const Profile& profile, const Timed& row) {
  int64_t flops = 0;
  uint64_t bytes = 0;
  double roof = 0;
  bool roofs = true;
  for (const size_t s : row.steps) {
    const StepProfile& step = profile.steps[s];
    flops += step.flops;
    bytes += step.bytes();
    roofs = roofs && step.roof_us.has_value();
    roof += step.roof_us.value_or(0);
  }
  // What is done in place has no roof.
  const bool has_roof = roofs && roof > 0 && row.us >= kShownUs;
  const std::string& bound = main_step(profile, row).bound;
  return {rate(static_cast<double>(flops), row.us), rate(static_cast<double>(bytes), row.us),
          has_roof ? fixed(100 * roof / row.us, 0) : "-", bound.empty() ? "-" : bound};
}

std::vector<std::string> engine_cells(const Profile& profile, const Timed& row) {
  const EngineUse use = engine_use(profile, row.steps);
  const std::string wait = longest_wait(use);
  const auto bytes = static_cast<uint64_t>(use.off_chip_bytes);
  return {use.macs > 0 ? fixed(100 * use.macs, 1) : "-", wait.empty() ? "-" : wait,
          bytes > 0 ? human_bytes(bytes) : "-"};
}

// Of firmware that ran in an emulator.
bool has_instructions(const Profile& profile) {
  const Metric* all = find_metric(profile.counters, "instructions");
  return all != nullptr && all->mode == Mode::Emulated;
}

double counted_layers(const Profile& profile, const Timed& row, std::string_view name) {
  double sum = 0;
  for (const size_t s : row.steps) {
    const Metric* metric = find_metric(profile.steps[s].counters, name);
    if (metric != nullptr) sum += metric->value.value_or(0);
  }
  return sum;
}

std::vector<std::string> instruction_cells(const Profile& profile, const Timed& row) {
  double macs = 0;
  for (const size_t s : row.steps) macs += static_cast<double>(profile.steps[s].macs);
  const double cycles = counted_layers(profile, row, "cycles");
  return {fixed(counted_layers(profile, row, "instructions"), 0), fixed(cycles, 0),
          macs > 0 ? fixed(cycles / macs, 2) : "-"};
}

std::vector<std::string> own_cells(const Profile& profile, const Timed& row) {
  if (has_engines(profile)) return engine_cells(profile, row);
  return has_instructions(profile) ? instruction_cells(profile, row) : roof_cells(profile, row);
}

TableRow row_of(const Profile& profile, const Timed& timed, const std::string& name) {
  const StepProfile& main = main_step(profile, timed);
  TableRow row = {Cell::short_for(name, timed.name), short_name(main.op),
                  short_name(kernel_name(main.kind)), fixed(timed.us, 1),
                  fixed(100 * timed.share, 1)};
  const std::vector<std::string> own = own_cells(profile, timed);
  row.insert(row.end(), own.begin(), own.end());
  row.push_back(main.output);
  return row;
}

std::vector<Column> columns_of(const Profile& profile, const ShowOptions& show) {
  const bool engines = has_engines(profile);
  std::vector<Column> columns = {{show.steps ? "step" : "layer"},
                                 {"operator"},
                                 {engines ? "engine" : "kernel"},
                                 {"us", true},
                                 {"share %", true}};
  if (engines) {
    columns.insert(columns.end(), {{"MACs %"}, {.name = "waits for", .words = true}, {"off chip"}});
  } else if (has_instructions(profile)) {
    columns.insert(columns.end(), {{"instructions", true}, {"cycles", true}, {"cycles/MAC", true}});
  } else {
    columns.insert(columns.end(),
                   {{"GOP/s", true}, {"GB/s", true}, {"% of roof", true}, {"bound"}});
  }
  columns.push_back({"output"});
  return columns;
}

// A model of a device that tells no time of the whole tells none of its parts.
bool is_withheld(const Profile& profile) {
  const Metric* median = find_metric(profile.latency, "median");
  return !profile.tracks.empty() && median != nullptr && !median->value;
}

// What of a predicted run is in no step: its start; of a GPU that was watched, idle time. Empty where
// there is nothing.
std::string start_text(const Profile& profile) {
  if (profile.gpu && profile.gpu->run_us > 0) {
    const double idle = profile.gpu->run_us - profile.gpu->busy_us;
    const bool waits = profile.tool != "hone" && idle > 0.005 * profile.gpu->run_us;
    return waits ? str("around them the GPU is idle for ", fixed(idle, 1), " us") : "";
  }
  const Metric* median = find_metric(profile.latency, "median");
  if (profile.tracks.empty() || median == nullptr || !median->value) return "";
  double rest = 1e3 * *median->value;
  for (const StepProfile& step : profile.steps) rest -= step.us;
  return rest >= kShownUs ? str("to begin a run takes another ", fixed(rest, 1), " us") : "";
}

Blocks layer_times_blocks(const ReportRun& run, const ShowOptions& show) {
  const Profile& profile = run.profile;
  if (profile.steps.empty() || is_withheld(profile)) return {};
  DataTable table{.columns = columns_of(profile, show), .narrow = true};
  const std::vector<Timed> rows = timed_of(profile, show);
  const size_t shown = show.rows == 0 ? rows.size() : std::min(show.rows, rows.size());
  std::vector<std::string> names;
  for (size_t i = 0; i < shown; ++i) names.push_back(rows[i].name);
  names = short_names(names);
  double rest = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i < shown) {
      table.rows.push_back(row_of(profile, rows[i], names[i]));
    } else {
      rest += rows[i].us;
    }
  }
  Sentences after;
  if (shown < rows.size()) {
    after.lines.push_back(str("and ", rows.size() - shown, " more that take ", fixed(rest, 1),
                              " us together", in_brackets({HintKind::AllRows}, show.words)));
  }
  if (std::string start = start_text(profile); !start.empty()) after.lines.push_back(start);
  return after.lines.empty() ? Blocks{table} : Blocks{table, after};
}

}  // namespace

extern const SectionDef section_layer_times = {.title = "Layers", .of_run = layer_times_blocks};

}  // namespace hone
