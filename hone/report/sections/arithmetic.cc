#include "hone/validate/arithmetic/arithmetic.h"

#include <algorithm>

#include "hone/base/str.h"
#include "hone/report/section_def.h"
#include "hone/validate/layer_name.h"

namespace hone {
namespace {

std::string list_of(const std::vector<int64_t>& samples) {
  constexpr size_t kMost = 20;
  const size_t shown = std::min(samples.size(), kMost);
  const std::vector<int64_t> first(samples.begin(),
                                   samples.begin() + static_cast<std::ptrdiff_t>(shown));
  return str(join(first), samples.size() > shown ? ", ..." : "");
}

Blocks arithmetic_blocks(const Validation& validation, const ShowOptions&) {
  if (!validation.arithmetic) return {};
  const ArithmeticChange& change = *validation.arithmetic;
  Sentences sentences;
  sentences.lines.push_back(str(change.name, " against ", change.against, ", measured on target ",
                                change.target, ": of ", change.samples, " samples ",
                                change.answers.size(), " answers and ", change.outputs.size(),
                                " outputs change"));
  if (!change.answers.empty()) {
    sentences.lines.push_back(str("answers change of samples ", list_of(change.answers)));
  } else if (!change.outputs.empty()) {
    sentences.lines.push_back(str("outputs change of samples ", list_of(change.outputs)));
  }
  if (change.example) {
    sentences.lines.push_back(str("on sample ", *change.example, " '",
                                  short_layer_name(change.layer), "' differs first, in ",
                                  change.different, " of ", change.elements, " elements"));
  }
  if (change.metric) {
    const std::string value = metric_number(*change.metric->value);
    const std::string& unit = change.metric->unit;
    sentences.lines.push_back(str(change.metric->name, " with ", change.name, ": ", value,
                                  unit.empty() ? "" : " ", unit));
  }
  return {sentences};
}

}  // namespace

extern const SectionDef section_arithmetic = {.title = "Other arithmetic",
                                              .of_validation = arithmetic_blocks};

}  // namespace hone
