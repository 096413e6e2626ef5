#include "hone/targets/common/references.h"

#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {

References count_references(const std::vector<StepInfo>& steps) {
  References references{.steps = steps.size(), .ops = {}, .percent = {}};
  for (const StepInfo& step : steps) {
    if (!step.kind.reference) continue;
    ++references.count;
    ++references.ops[step.node->op];
  }
  return references;
}

std::string text_of(const References& references, std::string_view why) {
  if (references.count == 0) return "";
  std::vector<std::string> names;
  for (const auto& [op, times] : references.ops) names.push_back(str(op, " ", times));
  const std::string time =
      references.percent ? str(", ", fixed(*references.percent, 1), " % of their time") : "";
  return str(references.count, " of ", references.steps, " steps", time, ": ", why, " (",
             join(names), ")");
}

}  // namespace hone
