#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/report.h"
#include "hone/report/sections/change_text.h"

namespace hone {
namespace {

// "0.43 -> 0.21 ms, 2.05 times as fast (measured, ...)".
std::string times_sentence(const Report& report) {
  const ReportCompared& compared = report.runs[1].compared;
  const Profile& before = report.runs[0].profile;
  std::string text = str(before.model, " on ", before.target,
                         before.device == before.target ? "" : ", " + before.device, ": ",
                         millis(compared.before_ms), " -> ", millis(compared.after_ms), " ms, ",
                         fixed(compared.before_ms / compared.after_ms, 2), " times as fast (",
                         mode_name(compared.mode));
  if (compared.mode == Mode::Measured) {
    text += str(", medians of ", compared.n, " alternating turns");
  }
  return text + ")";
}

std::string outputs_sentence(const ReportOutcome& outcome) {
  std::string text = str(outcome.file.empty() ? "the model itself, run as below"
                                              : outcome.file + " as it was written and read again",
                         ": outputs within ", fixed(100 * outcome.error, 2), " % of the largest");
  if (outcome.metric.empty()) return text;
  return str(text, ", ", outcome.metric, " ", fixed(outcome.metric_before, 4), " -> ",
             fixed(outcome.metric_after, 4));
}

Sentences of_optimization(const Report& report) {
  Sentences sentences;
  sentences.lines = {times_sentence(report), outputs_sentence(*report.outcome)};
  for (const std::string& reason : report.runs[1].profile.unstable) {
    sentences.lines.push_back(str("unstable: ", reason, "; measure again on a quieter machine"));
  }
  return sentences;
}

std::string sentence_of(const ProfileDiff& diff, Mode mode) {
  return str(name_of(diff.change), ": ", millis(diff.ms_a), " -> ", millis(diff.ms_b), " ms (",
             change_percent(diff.ms_a, diff.ms_b), " %, ", mode_name(mode), "); ", diff.why);
}

Blocks speedup_blocks(const Report& report, const ShowOptions&) {
  if (report.comparisons.empty()) return {};
  const bool optimized = report.outcome && report.runs[1].compared.after_ms > 0;
  Sentences sentences = optimized ? of_optimization(report) : Sentences{};
  for (size_t i = optimized ? 1 : 0; i < report.comparisons.size(); ++i) {
    const ProfileDiff& diff = report.comparisons[i];
    const std::string names = report.comparisons.size() == 1 ? ""
                                                             : str(report.runs[0].label, " to ",
                                                                   report.runs[i + 1].label, ", ");
    if (!diff.models.empty()) sentences.lines.push_back(diff.models);
    sentences.lines.push_back(names + sentence_of(diff, report.runs[i + 1].profile.mode));
  }
  return {sentences};
}

}  // namespace

extern const SectionDef section_speedup = {.title = "Before and after",
                                           .of_report = speedup_blocks};

}  // namespace hone
