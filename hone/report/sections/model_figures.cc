#include "hone/report/models_text.h"
#include "hone/report/sections/text_table.h"

namespace hone {
namespace {

Blocks model_figures_blocks(const ModelComparison& comparison, const ShowOptions&) {
  return {text_table(model_rows(comparison))};
}

}  // namespace

extern const SectionDef section_model_figures = {.title = "All figures",
                                                 .of_models = model_figures_blocks};

}  // namespace hone
