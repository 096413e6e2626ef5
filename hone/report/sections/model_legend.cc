#include "hone/report/models_text.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks model_legend_blocks(const ModelComparison& comparison, const ShowOptions& show) {
  return {Sentences{models_legend(comparison, show.words)}, Sentences{models_notes(comparison)}};
}

}  // namespace

extern const SectionDef section_model_legend = {.title = "Notes", .of_models = model_legend_blocks};

}  // namespace hone
