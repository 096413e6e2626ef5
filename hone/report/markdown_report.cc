#include "hone/report/markdown_report.h"

#include <algorithm>
#include <cctype>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/base/version.h"
#include "hone/report/verdict.h"

namespace hone {
namespace {

// Of the longest tables: what a reader of a pull request scrolls past without regret.
constexpr size_t kRows = 15;

// An underscore inside a word is a letter to Markdown, at its edge it begins emphasis.
bool inside_word(const std::string& text, size_t at) {
  const auto letter = [&](size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
  };
  return at > 0 && letter(at - 1) && letter(at + 1);
}

// Text from a file, so that nothing in it is Markdown or HTML.
std::string plain(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool special = std::string_view("\\`*[]|~").find(c) != std::string_view::npos;
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (static_cast<unsigned char>(c) < ' ') {
      result += ' ';
    } else if (special || (c == '_' && !inside_word(text, i))) {
      result += {'\\', c};
    } else {
      result += c;
    }
  }
  return result;
}

using Cells = std::vector<std::string>;

// A header of "name" is aligned on the left, one of ">name" on the right.
std::string table(const Cells& header, const std::vector<Cells>& rows) {
  const auto line = [](const Cells& cells) { return str("| ", join(cells, " | "), " |\n"); };
  Cells names, rules;
  for (const std::string& name : header) {
    const bool right = name.starts_with('>');
    names.push_back(right ? name.substr(1) : name);
    rules.push_back(right ? "---:" : "---");
  }
  std::string text = line(names) + line(rules);
  for (const Cells& row : rows) text += line(row);
  return text + "\n";
}

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
    rows.push_back({plain(metric.name), plain(describe(metric))});
  return rows.empty() ? "" : table({"metric", "value"}, rows);
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
        {plain(work.name), str(work.steps.size()), us_text(work.us), percent(work.share)});
  }
  if (rows.empty()) return "";
  return table({"operator", ">steps", str(">time, ", mode_name(profile.mode)), ">share"}, rows);
}

Cells layer_row(const Profile& profile, const LayerGroup& group) {
  double flops = 0, roof = 0;
  bool roofs = group.us > 0;
  for (const size_t s : group.steps) {
    flops += static_cast<double>(profile.steps[s].flops);
    roof += profile.steps[s].roof_us.value_or(0);
    roofs = roofs && profile.steps[s].roof_us.has_value();
  }
  const StepProfile& main = profile.steps[*std::ranges::max_element(
      group.steps, {}, [&](size_t s) { return profile.steps[s].us; })];
  return {plain(group.name),
          plain(main.op),
          plain(main.kernel),
          us_text(group.us),
          percent(group.share),
          group.us > 0 ? fixed(flops / group.us * 1e-3, 1) : "",
          roofs ? str(fixed(100 * roof / group.us, 0), " %") : "",
          plain(main.bound)};
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
  std::string text = table({"layer", "operator", "kernel", str(">time, ", mode_name(profile.mode)),
                            ">share", ">GFLOP/s", ">of roof", "bound"},
                           rows);
  if (groups.size() > kRows) {
    text += str("and ", groups.size() - kRows, " more that take ", us_text(rest), " together\n\n");
  }
  return text;
}

std::string finding_text(const ReportFinding& finding) {
  std::string text = str("- **", plain(finding.title), "**");
  if (finding.option) text += " (an option, at a price in accuracy)";
  text += "\n";
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += str("  - ", name, ": ", plain(value), "\n");
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

std::string ledger_section(const Report& report) {
  if (report.ledger.empty()) return "";
  const auto ms = [](const std::optional<double>& value) {
    return value ? human_duration(*value * 1e-3) : std::string();
  };
  std::vector<Cells> rows;
  for (const ReportAttempt& entry : report.ledger) {
    const bool told = entry.predicted_ms.value_or(0) != 0;
    rows.push_back({plain(entry.title), plain(entry.action), told ? ms(entry.predicted_ms) : "",
                    ms(entry.obtained_ms), entry.error ? percent(*entry.error) : "",
                    entry.kept ? "kept" : "undone", plain(entry.why)});
  }
  return "## What was done\n\n" + table({"finding", "action", ">gain, predicted", ">gain, measured",
                                         ">outputs moved", "", "why"},
                                        rows);
}

std::string changes_table(const ProfileDiff& diff) {
  std::vector<Cells> rows;
  for (const LayerChange& layer : diff.layers) {
    if (rows.size() == kRows) break;
    std::string verdict(name_of(layer.change));
    if (layer.only_in_a) verdict = "gone";
    if (layer.only_in_b) verdict = "new";
    rows.push_back({plain(layer.name), us_text(layer.us_a), us_text(layer.us_b),
                    signed_percent(layer.us_a, layer.us_b), verdict});
  }
  return rows.empty() ? "" : table({"layer", ">before", ">after", ">change", "verdict"}, rows);
}

std::string comparison_section(const Report& report) {
  std::string text;
  for (size_t i = 0; i < report.comparisons.size(); ++i) {
    const ProfileDiff& diff = report.comparisons[i];
    text += str("## ", plain(report.runs[0].label), " to ", plain(report.runs[i + 1].label),
                "\n\n**", name_of(diff.change), "**: ", human_duration(diff.ms_a * 1e-3), " to ",
                human_duration(diff.ms_b * 1e-3));
    if (diff.ms_a > 0 && diff.ms_b > 0) {
      text += str(" (", fixed(diff.ms_a / diff.ms_b, 2), " times as fast)");
    }
    text += str("; ", plain(diff.why), "\n\n", changes_table(diff));
  }
  return text;
}

std::string environment_section(const ReportRun& run) {
  const Profile& p = run.profile;
  std::vector<Cells> rows = {{"command", plain(run.command)}, {"tool", plain(run.tool)}};
  for (const auto& [key, value] : run.model) rows.push_back({"model " + plain(key), plain(value)});
  rows.insert(rows.end(), {{"target", plain(p.target)},
                           {"device", plain(p.device)},
                           {"precision", plain(p.precision)},
                           {"seed", str(p.seed)},
                           {"started", plain(p.started)},
                           {"copies", plain(p.copies)}});
  return table({"", ""}, rows) + metric_table(p.overhead) + metric_table(p.system) +
         metric_table(p.counters) + metric_table(p.roofs);
}

std::string run_section(const ReportRun& run, bool several) {
  const Profile& profile = run.profile;
  std::string text;
  if (several) text += str("## ", plain(run.label), "\n\n");
  text += str("**", plain(headline(profile)), "**\n\n");
  if (profile.unstable.empty()) text += str(stability(profile), "\n");
  for (const std::string& reason : profile.unstable)
    text += str("> unstable: ", plain(reason), "\n");
  text += "\n";
  text += latency_section(profile) + work_section(profile) + layers_section(profile);
  return text + folded("Environment and provenance", environment_section(run));
}

}  // namespace

std::string markdown_report(const Report& report) {
  const bool several = report.runs.size() > 1;
  const ReportRun& last = report.runs.back();
  std::string text =
      str("# ", plain(last.profile.model), " on ", plain(last.profile.target), "\n\n");
  text += comparison_section(report) + ledger_section(report) + findings_section(report);
  for (const ReportRun& run : report.runs) text += run_section(run, several);
  return text + str("Made by hone ", version(), "\n");
}

}  // namespace hone
