#include <algorithm>

#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/report.h"
#include "hone/report/verdict.h"

namespace hone {
namespace {

std::string gain_text(const Profile& profile, const Metric& gain) {
  if (!gain.value) return gain.note;
  std::string text =
      str(millis(*gain.value), " ms of ", millis(median_ms(profile)), ", ",
          fixed(100 * *gain.value / median_ms(profile), 1), " % (", mode_name(gain.mode));
  if (gain.low && gain.high) text += str(", ", millis(*gain.low), " to ", millis(*gain.high));
  return text + ")";
}

// Steps of one layer, as a product and its activation, count once.
std::string where_text(const Profile& profile, const std::vector<size_t>& steps) {
  constexpr size_t kShown = 4;
  std::vector<std::string> names;
  for (const size_t s : steps) {
    const std::string& name = profile.steps[s].name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  const size_t more = names.size() - std::min(names.size(), kShown);
  names.resize(names.size() - more);
  for (std::string& name : names) name = short_name(name);
  return str(join(names), more > 0 ? str(" and ", more, " more") : "");
}

ListItem item_of(const Profile& profile, const ReportFinding& finding) {
  ListItem item{.title = str("[", finding.rule, "] ", finding.title)};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) item.facts.items.emplace_back(name, value);
  };
  add("bound", str(finding.bound, ", confidence ", finding.confidence));
  if (finding.gain) add("gain", gain_text(profile, *finding.gain));
  add("from", finding.formula);
  if (!finding.steps.empty()) add("where", where_text(profile, finding.steps));
  add("fix", finding.fix);
  add("try", finding.command);
  return item;
}

// What was advised by rule and did not help.
std::string refuted_sentence(const ReportFinding& finding) {
  const std::string what = finding.subject.empty() ? finding.fix : finding.subject;
  return str("Tried without gain: ", what, " (",
             finding.formula.substr(0, finding.formula.find(';')), ")");
}

// Empty where all that should have been tried was.
std::string tries_sentence(const ReportRun& run) {
  if (!run.tries) return "";
  const auto has_gain = [](const ReportFinding& finding) {
    return finding.gain && finding.gain->value.has_value();
  };
  const size_t gains =
      run.refuted.size() + static_cast<size_t>(std::ranges::count_if(run.findings, has_gain));
  const size_t tried = run.tries->tried;
  if (tried >= std::min(run.tries->wanted, gains)) return "";
  if (gains == 1) {
    return "The gain could not be tried: the advice is not for Hone to follow by itself";
  }
  return str(tried == 0 ? "None" : str("Only ", tried), " of the ", gains,
             " gains could be tried: the other advice is not for Hone to follow by itself");
}

Sentences last_words(const ReportRun& run) {
  Sentences sentences;
  if (run.findings.empty()) {
    sentences.lines.push_back("nothing found that would gain 1 % of the run or more");
    for (std::string& known : known_without_findings(run.profile)) {
      sentences.lines.push_back(std::move(known));
    }
  } else {
    sentences.lines.push_back(
        "Gains overlap where findings share steps: they are not to be added up.");
  }
  for (const ReportFinding& finding : run.refuted) {
    sentences.lines.push_back(refuted_sentence(finding));
  }
  if (const std::string tries = tries_sentence(run); !tries.empty()) {
    sentences.lines.push_back(tries);
  }
  return sentences;
}

Blocks findings_blocks(const ReportRun& run, const ShowOptions&) {
  if (!run.diagnosed && run.findings.empty()) return {};
  Blocks blocks;
  size_t number = 1;
  for (const ReportFinding& finding : run.findings) {
    const std::string_view part = part_of(finding);
    const std::string heading = part.empty() ? "" : str(part, ":");
    const auto* last = blocks.empty() ? nullptr : std::get_if<NumberedList>(&blocks.back());
    if (last == nullptr || last->heading != heading) {
      blocks.push_back(NumberedList{.heading = heading, .first = number});
    }
    std::get<NumberedList>(blocks.back()).items.push_back(item_of(run.profile, finding));
    ++number;
  }
  blocks.push_back(last_words(run));
  return blocks;
}

}  // namespace

extern const SectionDef section_findings = {.title = "Findings", .of_run = findings_blocks};

}  // namespace hone
