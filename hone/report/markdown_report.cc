#include "hone/report/markdown_report.h"

#include <algorithm>

#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/base/version.h"
#include "hone/profile/engines.h"
#include "hone/report/document/writers.h"
#include "hone/report/markdown.h"
#include "hone/report/markdown_engines.h"
#include "hone/report/verdict.h"

namespace hone {
namespace {

// Of the longest tables: what a reader of a pull request scrolls past without regret.
constexpr size_t kRows = 15;

using Cells = MarkdownCells;

std::string us_text(double us) {
  return human_duration(us * 1e-6);
}

std::string percent(double part) {
  return str(fixed(100 * part, 1), " %");
}

std::string signed_percent(double from, double to) {
  if (from <= 0) return "";
  return str(to >= from ? "+" : "", percent(to / from - 1));
}

// One line per metric; unavailable ones say why.
std::string metric_table(const std::vector<Metric>& metrics) {
  std::vector<Cells> rows;
  for (const Metric& metric : metrics)
    rows.push_back({markdown_plain(metric.name), markdown_plain(describe(metric))});
  return rows.empty() ? "" : markdown_table({"metric", "value"}, rows);
}

std::string folded(const std::string& title, const std::string& body) {
  if (body.empty()) return "";
  return str("<details><summary>", title, "</summary>\n\n", body, "</details>\n\n");
}

std::string latency_section(const Profile& profile) {
  std::vector<Metric> metrics = profile.latency;
  for (const Metric& phase : profile.phases) metrics.push_back(phase);
  for (const Metric& energy : profile.energy) metrics.push_back(energy);
  if (profile.arena_bytes > 0) {
    for (const auto& [name, bytes] :
         {std::pair{"arena", profile.arena_bytes}, std::pair{"weights", profile.weight_bytes}}) {
      metrics.push_back({.name = name,
                         .value = static_cast<double>(bytes) / 1048576,
                         .unit = "MiB",
                         .mode = Mode::Exact});
    }
  }
  return metric_table(metrics);
}

std::string work_section(const Profile& profile) {
  std::vector<Cells> rows;
  for (const WorkShare& work : work_shares(profile)) {
    rows.push_back(
        {markdown_plain(work.name), str(work.steps.size()), us_text(work.us), percent(work.share)});
  }
  if (rows.empty()) return "";
  return markdown_table({"operator", ">steps", str(">time, ", mode_name(profile.mode)), ">share"},
                        rows);
}

Cells roof_cells(const Profile& profile, const LayerGroup& group, const StepProfile& main) {
  double flops = 0, roof = 0;
  bool roofs = group.us > 0;
  for (const size_t s : group.steps) {
    flops += static_cast<double>(profile.steps[s].flops);
    roof += profile.steps[s].roof_us.value_or(0);
    roofs = roofs && profile.steps[s].roof_us.has_value();
  }
  return {group.us > 0 ? fixed(flops / group.us * 1e-3, 1) : "",
          roofs ? str(fixed(100 * roof / group.us, 0), " %") : "", markdown_plain(main.bound)};
}

Cells engine_cells(const Profile& profile, const LayerGroup& group) {
  const EngineUse use = engine_use(profile, group.steps);
  return {percent(use.macs), longest_wait(use),
          human_bytes(static_cast<uint64_t>(use.off_chip_bytes))};
}

Cells layer_row(const Profile& profile, const LayerGroup& group) {
  const StepProfile& main = profile.steps[*std::ranges::max_element(
      group.steps, {}, [&](size_t s) { return profile.steps[s].us; })];
  Cells cells = {markdown_plain(short_name(group.name)), markdown_plain(main.op),
                 markdown_plain(kernel_name(main.kind)), us_text(group.us), percent(group.share)};
  const Cells own =
      has_engines(profile) ? engine_cells(profile, group) : roof_cells(profile, group, main);
  cells.insert(cells.end(), own.begin(), own.end());
  return cells;
}

Cells layer_header(const Profile& profile) {
  const std::string time = str(">time, ", mode_name(profile.mode));
  if (has_engines(profile)) {
    return {"layer", "operator", "engine", time, ">share", ">MACs", "waits for", ">off chip"};
  }
  return {"layer", "operator", "kernel", time, ">share", ">GFLOP/s", ">of roof", "bound"};
}

std::string layers_section(const Profile& profile) {
  std::vector<const LayerGroup*> groups;
  for (const LayerGroup& group : profile.layers) {
    if (!group.steps.empty()) groups.push_back(&group);
  }
  if (groups.empty()) return "";
  std::ranges::stable_sort(groups, std::ranges::greater{}, &LayerGroup::us);
  std::vector<Cells> rows;
  double rest = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (i < kRows) {
      rows.push_back(layer_row(profile, *groups[i]));
    } else {
      rest += groups[i]->us;
    }
  }
  std::string text = markdown_table(layer_header(profile), rows);
  if (groups.size() > kRows) {
    text += str("and ", groups.size() - kRows, " more that take ", us_text(rest), " together\n\n");
  }
  return text;
}

std::string finding_text(const ReportFinding& finding) {
  std::string text = str("- **", markdown_plain(finding.title), "**");
  if (finding.option) text += " (an option, at a price in accuracy)";
  text += "\n";
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += str("  - ", name, ": ", markdown_plain(value), "\n");
  };
  if (finding.gain && finding.gain->value) add("gain", describe(*finding.gain));
  add("from", finding.formula);
  add("fix", finding.fix);
  add("try", finding.command);
  add("confidence", finding.confidence);
  return text;
}

std::string findings_section(const Report& report) {
  std::string text;
  for (const ReportRun& run : report.runs) {
    for (const ReportFinding& finding : run.findings) text += finding_text(finding);
  }
  if (text.empty()) return "";
  return str("## Findings\n\nGains are predicted one at a time; they do not add up.\n\n", text,
             "\n");
}

std::string outcome(const ReportAttempt& entry) {
  return entry.kept ? "kept" : entry.obtained_ms ? "undone" : "left out";
}

std::string ledger_section(const Report& report) {
  if (report.ledger.empty()) return "";
  const auto ms = [](const std::optional<double>& value) {
    return value ? human_duration(*value * 1e-3) : std::string();
  };
  const auto obtained = [&](const ReportAttempt& entry) {
    return entry.obtained_ms ? str(ms(entry.obtained_ms), ", ", mode_name(entry.mode)) : "";
  };
  std::vector<Cells> rows;
  for (const ReportAttempt& entry : report.ledger) {
    const bool told = entry.predicted_ms.value_or(0) != 0;
    rows.push_back({markdown_plain(entry.title), markdown_plain(entry.action),
                    told ? ms(entry.predicted_ms) : "", obtained(entry),
                    entry.error ? percent(*entry.error) : "", outcome(entry),
                    markdown_plain(entry.why)});
  }
  return "## What was done\n\n" + markdown_table({"finding", "action", ">gain, predicted",
                                                  ">gain, obtained", ">outputs moved", "", "why"},
                                                 rows);
}

std::string changes_table(const ProfileDiff& diff) {
  std::vector<Cells> rows;
  for (const LayerChange& layer : diff.layers) {
    if (rows.size() == kRows) break;
    std::string verdict(name_of(layer.change));
    if (layer.only_in_a) verdict = "gone";
    if (layer.only_in_b) verdict = "new";
    rows.push_back({markdown_plain(short_name(layer.name)), us_text(layer.us_a),
                    us_text(layer.us_b), signed_percent(layer.us_a, layer.us_b), verdict});
  }
  return rows.empty() ? ""
                      : markdown_table({"layer", ">before", ">after", ">change", "verdict"}, rows);
}

std::string comparison_section(const Report& report) {
  std::string text;
  for (size_t i = 0; i < report.comparisons.size(); ++i) {
    const ProfileDiff& diff = report.comparisons[i];
    text += str("## ", markdown_plain(report.runs[0].label), " to ",
                markdown_plain(report.runs[i + 1].label), "\n\n**", name_of(diff.change),
                "**: ", human_duration(diff.ms_a * 1e-3), " to ", human_duration(diff.ms_b * 1e-3));
    if (diff.ms_a > 0 && diff.ms_b > 0) {
      text += str(" (", fixed(diff.ms_a / diff.ms_b, 2), " times as fast, ",
                  mode_name(report.runs[i + 1].profile.mode), ")");
    }
    text += str("; ", markdown_plain(diff.why), "\n\n", changes_table(diff));
  }
  return text;
}

std::string environment_section(const ReportRun& run) {
  const Profile& p = run.profile;
  std::vector<Cells> rows = {{"command", markdown_plain(run.from.command)},
                             {"tool", markdown_plain(run.from.tool)}};
  for (const auto& [key, value] : run.from.model)
    rows.push_back({"model " + markdown_plain(key), markdown_plain(value)});
  rows.insert(rows.end(), {{"target", markdown_plain(p.target)},
                           {"device", markdown_plain(p.device)},
                           {"precision", p.tracks.empty() ? markdown_plain(p.precision) : ""},
                           {"seed", str(p.seed)},
                           {"started", markdown_plain(p.started)},
                           {"copies", markdown_plain(p.copies)}});
  return markdown_table({"", ""}, rows) + metric_table(p.overhead) + metric_table(p.system) +
         metric_table(p.counters) + metric_table(p.roofs);
}

std::string run_section(const ReportRun& run, bool several) {
  const Profile& profile = run.profile;
  std::string text;
  if (several) text += str("## ", markdown_plain(run.label), "\n\n");
  text += str("**", markdown_plain(headline(profile)), "**\n\n");
  if (profile.unstable.empty()) text += str(stability(profile), "\n");
  for (const std::string& reason : profile.unstable)
    text += str("> unstable: ", markdown_plain(reason), "\n");
  text += "\n";
  text += latency_section(profile) + markdown_engines(profile) + work_section(profile) +
          layers_section(profile);
  return text + folded("Environment and provenance", environment_section(run));
}

std::string runs_text(const Report& report) {
  const bool several = report.runs.size() > 1;
  const ReportRun& last = report.runs.back();
  std::string text = str("# ", markdown_plain(last.profile.model), " on ",
                         markdown_plain(last.profile.target), "\n\n");
  text += comparison_section(report) + ledger_section(report) + findings_section(report);
  for (const ReportRun& run : report.runs) text += run_section(run, several);
  return text;
}

}  // namespace

std::string markdown_report(const Report& report) {
  std::string text = report.runs.empty() ? "" : runs_text(report);
  for (const Document& document : report.documents) text += document_markdown(document);
  return text + str("Made by hone ", version(), "\n");
}

}  // namespace hone
