#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks calibration_blocks(const QuantizationResult& result, const ShowOptions&) {
  if (result.changed) {
    return {Paragraph{str(*result.changed, " ", result.changed_to)}};
  }
  // Layers that are measured one by one are judged by no metric.
  if (result.trials.empty()) return {};
  Sentences sentences{result.notes};
  sentences.lines.push_back(
      str("calibrated on ", result.calibrated_on, " samples, judged on ", result.judged_on,
          result.judged_on_calibration ? " (the same: there are no others)" : " others", "; float ",
          result.metric, " ", fixed(result.reference, 4)));
  return {sentences};
}

}  // namespace

extern const SectionDef section_calibration = {.title = "How it was made",
                                               .of_quantization = calibration_blocks};

}  // namespace hone
