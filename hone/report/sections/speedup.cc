#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/report.h"
#include "hone/report/sections/change_text.h"

namespace hone {
namespace {

// "2.05 times as fast".
std::string times_text(const ReportCompared& compared) {
  const double ratio = compared.before_ms / compared.after_ms;
  return ratio >= 0.995 ? str(fixed(ratio, 2), " times as fast")
                        : str("takes ", fixed(1 / ratio, 2), " times as long");
}

// "0.43 -> 0.21 ms, 2.05 times as fast (measured, ...)".
std::string times_sentence(const Profile& before, const ReportCompared& compared) {
  std::string text = str(before.model, " on ", before.target,
                         before.device == before.target ? "" : ", " + before.device, ": ",
                         millis(compared.before_ms), " -> ", millis(compared.after_ms), " ms, ",
                         times_text(compared), " (", mode_name(compared.mode));
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

void add_optimization(const ReportRun& before, const ReportRun& after, Sentences& sentences) {
  sentences.lines.push_back(times_sentence(before.profile, after.compared));
  sentences.lines.push_back(outputs_sentence(*after.outcome));
  for (const std::string& reason : after.profile.unstable) {
    sentences.lines.push_back(str("unstable: ", reason, "; measure again on a quieter machine"));
  }
}

std::string sentence_of(const ProfileDiff& diff, Mode mode) {
  return str(name_of(diff.change), ": ", millis(diff.ms_a), " -> ", millis(diff.ms_b), " ms (",
             change_percent(diff.ms_a, diff.ms_b), " %, ", mode_name(mode), "); ", diff.why);
}

Blocks speedup_blocks(const Report& report, const ShowOptions&) {
  Sentences sentences;
  for (size_t i = 0; i < report.comparisons.size(); ++i) {
    const ProfileDiff& diff = report.comparisons[i];
    const ReportRun& run = report.runs[i + 1];
    const ReportRun& base = report.runs[run.base];
    if (run.outcome && run.compared.after_ms > 0) {
      add_optimization(base, run, sentences);
      continue;
    }
    const std::string names =
        report.comparisons.size() == 1 ? "" : str(base.label, " to ", run.label, ", ");
    if (!diff.models.empty()) sentences.lines.push_back(diff.models);
    sentences.lines.push_back(names + sentence_of(diff, run.profile.mode));
  }
  if (sentences.lines.empty()) return {};
  return {sentences};
}

}  // namespace

extern const SectionDef section_speedup = {.title = "Before and after",
                                           .of_report = speedup_blocks};

}  // namespace hone
