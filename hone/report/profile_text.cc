#include "hone/report/profile_text.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "hone/base/printable.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/engines.h"
#include "hone/report/engine_text.h"
#include "hone/targets/common/references.h"

namespace hone {
namespace {

// Who ran what where, as far as it was told.
std::string subject(const Profile& profile) {
  std::vector<std::string> parts = {str(profile.model, " on ", profile.target)};
  if (!profile.device.empty() && profile.device != profile.target) parts.push_back(profile.device);
  // Steps of a modelled device have the precision of the model's values.
  const bool asked = profile.tracks.empty();
  if (asked && !profile.precision.empty()) parts.push_back(profile.precision);
  parts.push_back(profile.tool == "hone" ? str("seed ", profile.seed) : "told by " + profile.tool);
  return printable(join(parts)) + "\n";
}

std::string headline(const Profile& profile) {
  std::string text = subject(profile);
  const Metric* typical = typical_latency(profile);
  if (typical == nullptr) {
    const Metric* median = find_metric(profile.latency, "median");
    return median == nullptr ? text : str(text, "latency   ", printable(describe(*median)), "\n");
  }
  text += str("latency   ", typical->name, " ", millis(*typical->value), " ms");
  if (typical->low && typical->high) {
    text += str(profile.mode == Mode::Measured ? " (95 % interval " : " (", millis(*typical->low),
                " to ", millis(*typical->high), ")");
  }
  for (const char* name : {"min", "p90", "p99", "max"}) {
    const Metric* metric = find_metric(profile.latency, name);
    if (metric != nullptr && metric->value) text += str(", ", name, " ", millis(*metric->value));
  }
  const Metric* cov = find_metric(profile.latency, "cov");
  if (cov != nullptr && cov->value) text += str(", CoV ", fixed(*cov->value, 3));
  return text + str(", n ", typical->n, "; ", mode_name(profile.mode), "\n");
}

std::string phases(const Profile& profile) {
  std::vector<std::string> parts;
  for (const Metric& phase : profile.phases) {
    if (phase.value) parts.push_back(str(phase.name, " ", human_duration(*phase.value * 1e-3)));
  }
  std::string text;
  if (!parts.empty()) {
    // Those of a modelled run are of the machine that models it.
    const bool modelled = !profile.tracks.empty();
    if (!modelled) parts.push_back(str("steady ", human_duration(median_ms(profile) * 1e-3)));
    text = str("phases    ", join(parts), modelled ? " (measured here)\n" : "\n");
  }
  if (!profile.copies.empty()) text += "copies    " + profile.copies + "\n";
  return text;
}

// What rows are about: groups of source layers, or steps.
struct Row {
  std::string name;
  std::vector<size_t> steps;
  double us;
  double share;
};

std::vector<Row> rows_of(const Profile& profile, const ProfileTextOptions& options) {
  std::vector<Row> rows;
  if (options.steps) {
    for (size_t s = 0; s < profile.steps.size(); ++s) {
      const StepProfile& step = profile.steps[s];
      rows.push_back({step.name, {s}, step.us, step.share});
    }
  } else {
    for (const LayerGroup& group : profile.layers) {
      if (!group.steps.empty()) rows.push_back({group.name, group.steps, group.us, group.share});
    }
    std::ranges::stable_sort(rows, {}, [](const Row& row) { return row.steps[0]; });
  }
  if (!options.in_order) std::ranges::stable_sort(rows, std::ranges::greater{}, &Row::us);
  return rows;
}

// Billions a second; "-" for nothing, or for what was not told.
std::string rate(double amount, double us) {
  return amount == 0 ? "-" : fixed(amount / std::max(us, 1e-9) * 1e-3, 1);
}

// The longest.
const StepProfile& main_step(const Profile& profile, const Row& row) {
  return profile.steps[*std::ranges::max_element(row.steps, {},
                                                 [&](size_t s) { return profile.steps[s].us; })];
}

std::vector<std::string> roof_cells(const Profile& profile, const Row& row) {
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
  return {rate(static_cast<double>(flops), row.us), rate(static_cast<double>(bytes), row.us),
          roofs && row.us > 0 ? fixed(100 * roof / row.us, 0) : "-", main_step(profile, row).bound};
}

void add_row(const Profile& profile, const Row& row, Table& table) {
  const StepProfile& main = main_step(profile, row);
  std::vector<std::string> cells = {short_name(row.name), main.op, kernel_name(main.kind),
                                    fixed(row.us, 1), fixed(100 * row.share, 1)};
  const std::vector<std::string> own =
      has_engines(profile) ? engine_cells(profile, row.steps) : roof_cells(profile, row);
  cells.insert(cells.end(), own.begin(), own.end());
  cells.push_back(main.output);
  table.add(std::move(cells));
}

std::vector<std::string> columns_of(const Profile& profile, const ProfileTextOptions& options) {
  const bool engines = has_engines(profile);
  std::vector<std::string> columns = {options.steps ? "step" : "layer", "operator",
                                      engines ? "engine" : "kernel", "us", "share %"};
  const std::vector<std::string> own =
      engines ? engine_columns()
              : std::vector<std::string>{"GFLOP/s", "GB/s", "% of roof", "bound"};
  columns.insert(columns.end(), own.begin(), own.end());
  columns.push_back("output");
  return columns;
}

std::string table_of(const Profile& profile, const ProfileTextOptions& options) {
  Table table(columns_of(profile, options));
  const std::vector<Row> rows = rows_of(profile, options);
  const size_t shown = options.rows == 0 ? rows.size() : std::min(options.rows, rows.size());
  double rest = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i < shown) {
      add_row(profile, rows[i], table);
    } else {
      rest += rows[i].us;
    }
  }
  std::string text = table.to_string();
  if (shown < rows.size()) {
    text += str("and ", rows.size() - shown, " more that take ", fixed(rest, 1),
                " us together; --rows 0 shows all\n");
  }
  return text;
}

// Those with a value one by one; those without in one line per reason.
std::string list_of(const std::vector<Metric>& metrics) {
  std::string text;
  std::vector<std::pair<std::string, std::string>> missing;  // Reason, names.
  for (const Metric& metric : metrics) {
    if (metric.value) {
      text += str(metric.name, "  ", describe(metric), "\n");
    } else if (!missing.empty() && missing.back().first == metric.note) {
      missing.back().second += str(", ", metric.name);
    } else {
      missing.emplace_back(metric.note, metric.name);
    }
  }
  for (const auto& [reason, names] : missing) {
    text += str(names, "  unavailable: ", reason, "\n");
  }
  return text;
}

std::string references_line(const Profile& profile) {
  References references{.steps = profile.steps.size(), .ops = {}, .percent = {}};
  double us = 0, all = 0;
  for (const StepProfile& step : profile.steps) {
    all += step.us;
    if (!step.kind.reference) continue;
    ++references.count;
    ++references.ops[step.op];
    us += step.us;
  }
  if (references.count == 0 || profile.mode != Mode::Measured) return "";
  references.percent = 100 * us / std::max(all, 1e-9);
  return str("references  ", text_of(references), "\n");
}

std::string footnotes(const Profile& profile) {
  const bool engines = has_engines(profile);
  std::string text = references_line(profile) + list_of(profile.overhead) + list_of(profile.system);
  text += engines ? engine_summary(profile) : list_of(profile.counters);
  text += list_of(profile.energy);
  if (profile.arena_bytes > 0 && !engines) {
    text += str("memory  arena ", human_bytes(profile.arena_bytes), ", weights ",
                human_bytes(profile.weight_bytes), "\n");
  }
  for (const std::string& note : profile.notes) text += str("note: ", note, "\n");
  for (const std::string& reason : profile.unstable) text += str("unstable: ", reason, "\n");
  return text;
}

}  // namespace

std::string profile_text(const Profile& profile, const ProfileTextOptions& options) {
  std::string text = headline(profile) + phases(profile);
  if (!profile.steps.empty()) text += "\n" + table_of(profile, options) + "\n";
  return text + footnotes(profile);
}

}  // namespace hone
