#include "hone/report/model_choice_text.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks model_choice_blocks(const ModelComparison& comparison, const ShowOptions&) {
  const std::vector<std::string> lines = choice_lines(comparison);
  if (lines.empty()) return {};
  return {Sentences{lines}};
}

}  // namespace

extern const SectionDef section_model_choice = {.title = "Which to take",
                                                .of_models = model_choice_blocks};

}  // namespace hone
