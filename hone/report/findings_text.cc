#include "hone/report/findings_text.h"

#include <algorithm>

#include "hone/base/printable.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

std::string gain_text(const Profile& profile, const Metric& gain) {
  if (!gain.value) return str("gain      ", gain.note);
  std::string text =
      str("gain      ", millis(*gain.value), " ms of ", millis(median_ms(profile)), ", ",
          fixed(100 * *gain.value / median_ms(profile), 1), " % (", mode_name(gain.mode));
  if (gain.low && gain.high) text += str(", ", millis(*gain.low), " to ", millis(*gain.high));
  return text + ")";
}

std::string where_text(const Profile& profile, const std::vector<size_t>& steps) {
  constexpr size_t kShown = 4;
  std::vector<std::string>
      names;  // Steps of one layer, as a product and its activation, count once.
  for (const size_t s : steps) {
    const std::string& name = profile.steps[s].name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  const size_t more = names.size() - std::min(names.size(), kShown);
  names.resize(names.size() - more);
  for (std::string& name : names) name = short_name(name);
  return str("where     ", join(names), more > 0 ? str(" and ", more, " more") : "");
}

std::string finding_text(const Profile& profile, const Finding& finding) {
  std::string text = str("[", finding.rule, "] ", printable(finding.title), "\n    bound     ",
                         name_of(finding.bound), ", confidence ", finding.confidence, "\n    ",
                         gain_text(profile, finding.gain), "\n");
  if (!finding.formula.empty()) text += str("    from      ", printable(finding.formula), "\n");
  if (!finding.steps.empty()) text += str("    ", where_text(profile, finding.steps), "\n");
  text += str("    fix       ", printable(finding.fix), "\n");
  if (!finding.command.empty()) text += str("    try       ", printable(finding.command), "\n");
  return text;
}

// Of the part it stands in; flaws, which come first, need none.
std::string_view heading(const Finding& finding) {
  if (!finding.gain.value) return "Without a gain in time:";
  return finding.option ? "Options, at a price in accuracy:" : "";
}

}  // namespace

std::string findings_text(const Profile& profile, const std::vector<Finding>& findings) {
  if (findings.empty()) return "nothing found that would gain 1 % of the run or more\n";
  std::string text;
  int number = 1;
  std::string_view part;
  for (const Finding& finding : findings) {
    if (const std::string_view own = heading(finding); own != part) {
      part = own;
      text += str(part, "\n");
    }
    text += str(number++, ". ", finding_text(profile, finding));
  }
  return text + "Gains overlap where findings share steps: they are not to be added up.\n";
}

}  // namespace hone
