#include "hone/report/models_text.h"
#include "hone/report/sections/text_table.h"

namespace hone {
namespace {

Blocks model_fronts_blocks(const ModelComparison& comparison, const ShowOptions& show) {
  Blocks blocks;
  if (const TextRows rows = front_rows(comparison); !rows.empty())
    blocks.push_back(text_table(rows));
  const std::vector<std::string> missing = missing_fronts(comparison, show.words);
  if (!missing.empty()) blocks.push_back(Sentences{missing});
  return blocks;
}

}  // namespace

extern const SectionDef section_model_fronts = {.title = "Fronts",
                                                .of_models = model_fronts_blocks};

}  // namespace hone
