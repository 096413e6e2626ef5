#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks spared_layers_blocks(const QuantizationResult& result, const ShowOptions&) {
  if (!result.mixed) return {};
  const SparedLayers& mixed = *result.mixed;
  Sentences layers;
  for (const std::string& layer : mixed.spared) layers.lines.push_back("  " + layer);
  return {Paragraph{str("spared layers (", mixed.evaluations, " evaluations, ",
                        fixed(mixed.gain_given_up_us / 1000, 3), " ms of the gain given up, ",
                        mode_name(mixed.mode), "):")},
          layers};
}

}  // namespace

extern const SectionDef section_spared_layers = {.title = "Spared layers",
                                                 .of_quantization = spared_layers_blocks};

}  // namespace hone
