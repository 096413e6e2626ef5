#include "hone/report/verdict.h"

#include <algorithm>
#include <map>
#include <set>

#include "hone/base/percent.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

std::string ms_text(double ms) {
  return human_duration(ms * 1e-3);
}

std::string latency_clause(const Profile& profile) {
  const Metric* latency = typical_latency(profile);
  const std::string where = profile.device.empty() ? "" : str(" on ", profile.device);
  if (latency == nullptr || !latency->value) return str("no latency", where);
  std::string text = str(ms_text(*latency->value), " ", latency->name);
  if (latency->low && latency->high) {
    text += str(" (", interval_text(*latency->low, *latency->high), ")");
  }
  return str(text, ", ", mode_name(latency->mode), where);
}

// Of a GPU that was watched with its host, parts of the whole run: where it waits longer than
// anything takes, that comes first.
std::string gpu_clause(const GpuTimeline& gpu, const WorkShare& longest) {
  const double idle = 1 - gpu.busy_us / gpu.run_us;
  const double share = std::min(1.0, longest.us / gpu.run_us);
  const std::string work = str(fixed(100 * share, 0), " % of it in ", longest.name);
  return idle > share ? str("the GPU is idle ", fixed(100 * idle, 0), " % of it, ", work) : work;
}

}  // namespace

std::string interval_text(double low_ms, double high_ms) {
  const std::string low = ms_text(low_ms), high = ms_text(high_ms);
  const size_t space = low.find(' ');
  const bool same = space != std::string::npos && high.ends_with(low.substr(space)) &&
                    high.find(' ') == high.size() - (low.size() - space);
  return str(same ? low.substr(0, space) : low, " to ", high);
}

std::vector<WorkShare> work_shares(const Profile& profile) {
  std::map<std::string, std::set<std::string>> families;
  for (const StepProfile& step : profile.steps) families[step.op].insert(step.kind.work);
  std::map<std::string, WorkShare> by_name;
  for (size_t s = 0; s < profile.steps.size(); ++s) {
    const StepProfile& step = profile.steps[s];
    const bool plain = families[step.op].size() < 2 || step.kind.work.empty();
    const std::string name = plain ? step.op : str(step.op, " (", step.kind.work, ")");
    WorkShare& work = by_name[name];
    work.name = name;
    work.steps.push_back(s);
    work.us += step.us;
    work.share += step.share;
  }
  std::vector<WorkShare> works;
  for (auto& [name, work] : by_name) works.push_back(std::move(work));
  std::ranges::stable_sort(works, std::ranges::greater{}, &WorkShare::us);
  return works;
}

std::string latency_headline(const Profile& profile) {
  const std::string text = latency_clause(profile);
  const std::vector<WorkShare> works = work_shares(profile);
  if (works.empty() || works[0].us <= 0) return text;
  if (profile.gpu && profile.gpu->run_us > 0) {
    return str(text, "; ", gpu_clause(*profile.gpu, works[0]));
  }
  return str(text, "; ", fixed(100 * works[0].share, 0), " % of it in ", works[0].name);
}

std::string run_verdict(const ReportRun& run) {
  const std::string text = latency_headline(run.profile);
  const double median = median_ms(run.profile);
  // The first with a gain, of those that have a price in accuracy or of the others.
  const auto best = [&](bool option) -> const ReportFinding* {
    const auto found = std::ranges::find_if(run.findings, [&](const ReportFinding& finding) {
      return finding.option == option && finding.gain && finding.gain->value.value_or(0) > 0;
    });
    return median > 0 && found != run.findings.end() ? &*found : nullptr;
  };
  const auto told = [&](const ReportFinding& finding) {
    const double ms = *finding.gain->value;
    return str(finding.title, ", ", ms_text(ms), " or ", fixed(100 * ms / median, 0), " % (",
               mode_name(finding.gain->mode), ")");
  };
  if (const ReportFinding* finding = best(false)) {
    const size_t count = run.findings.size();
    return str(text, "; the best of ", count,
               count == 1 ? " finding: " : " findings: ", told(*finding));
  }
  if (const ReportFinding* option = best(true)) {
    return str(text, "; nothing holds it back but what has a price in accuracy: ", told(*option));
  }
  return run.diagnosed ? text + "; nothing found that holds it back" : text;
}

std::string change_verdict(const Report& report, size_t later) {
  const ProfileDiff& diff = report.comparisons[later - 1];
  const std::string& label = report.runs[later].label;
  const std::string& first = report.runs[report.runs[later].base].label;
  if (diff.unrelated) return run_verdict(report.runs[later]);
  if (!(diff.ms_a > 0) || !(diff.ms_b > 0)) return str("no latency to compare ", label, " by");
  const double ratio = diff.ms_a / diff.ms_b;
  const std::string times = ratio >= 1
                                ? str(" is ", fixed(ratio, 2), " times as fast as ", first)
                                : str(" takes ", fixed(1 / ratio, 2), " times as long as ", first);
  const std::string sentence = diff.change == Change::Same      ? str(" is as fast as ", first)
                               : diff.change == Change::Unclear ? times + ", which may be chance"
                                                                : times;
  return str(label, sentence, ": ", ms_text(diff.ms_a), " -> ", ms_text(diff.ms_b), ", ",
             mode_name(report.runs[later].profile.mode));
}

std::vector<std::string> known_without_findings(const Profile& profile) {
  std::vector<std::string> known;
  if (!profile.gpu || profile.tool == "hone") return known;
  const GpuTimeline& gpu = *profile.gpu;
  const std::vector<WorkShare> works = work_shares(profile);
  if (gpu.run_us > 0 && !works.empty()) {
    known.push_back(str("the GPU was busy ", percent(gpu.busy_us / gpu.run_us), " of the run, ",
                        percent(works[0].share, 0), " of that in ", works[0].name,
                        "; what Nsight Compute counts of it (ncu, as CSV) would tell more"));
  }
  if (gpu.capability.empty()) {
    known.emplace_back(
        "the file does not tell the GPU's compute capability: what its cores could do faster is "
        "not "
        "known");
  }
  return known;
}

std::string stability(const Profile& profile) {
  if (!profile.unstable.empty()) return str("unstable: ", profile.unstable[0]);
  if (profile.samples_ms.size() < 2) return "";
  return str("steady over ", profile.samples_ms.size(), " runs");
}

}  // namespace hone
