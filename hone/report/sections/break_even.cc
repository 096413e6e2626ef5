#include "hone/base/str.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

// "from a batch of 37 on (12 to 160)", or why there is none.
std::string from_text(const Metric& from, std::string_view better) {
  if (!from.value) return str(better, ": ", from.note);
  std::string text = str(better, " from a batch of ", *from.value, " on");
  if (!from.low || (from.low == from.value && from.high == from.value)) return text;
  return text + str(" (", *from.low, from.high ? str(" to ", *from.high) : " or more", ")");
}

std::string break_even_text(const BreakEven& point, HintWords words) {
  const Hint hint = point.unpriced.empty() ? Hint{} : Hint{HintKind::Rate, point.unpriced};
  return str(point.device, " beside ", point.against,
             ", copies included: ", from_text(point.faster_from, "faster"), "; ",
             from_text(point.cheaper_from, point.rented ? "cheaper to rent" : "cheaper to buy"),
             in_brackets(hint, words), "; ", mode_name(point.faster_from.mode));
}

Blocks break_even_blocks(const DeviceComparison& comparison, const ShowOptions& options) {
  Sentences sentences;
  for (const BreakEven& point : comparison.break_even) {
    sentences.lines.push_back(break_even_text(point, options.words));
  }
  if (sentences.lines.empty()) return {};
  return {std::move(sentences)};
}

}  // namespace

extern const SectionDef section_break_even = {.title = "Break-even",
                                              .of_comparison = break_even_blocks};

}  // namespace hone
