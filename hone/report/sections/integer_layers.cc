#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

// "up_sampling, up_sampling_1 and 3 more"; of TFLite's joined names the first.
std::string some_names(const std::vector<std::string>& layers) {
  constexpr size_t kMost = 4;
  std::vector<std::string> names;
  for (size_t i = 0; i < layers.size() && i < kMost; ++i) {
    names.push_back(layers[i].substr(0, layers[i].find(';')));
  }
  return join(names) + (layers.size() > kMost ? str(" and ", layers.size() - kMost, " more") : "");
}

std::string kib(uint64_t bytes) {
  return fixed(static_cast<double>(bytes) / 1024, 1);
}

BarChart chart_of_integer_layers(const QuantizationResult& result) {
  return {.title = "Constants",
          .bars = {{.name = "before",
                    .value = static_cast<double>(result.bytes_before),
                    .text = human_bytes(result.bytes_before)},
                   {.name = "after",
                    .value = static_cast<double>(result.bytes_after),
                    .text = human_bytes(result.bytes_after),
                    .tone = Tone::Good}}};
}

Blocks integer_layers_blocks(const QuantizationResult& result, const ShowOptions&) {
  if (result.trials.empty()) return {};
  Sentences sentences;
  sentences.lines.push_back(str(count_of(result.layers, "layer"), " on integers, ",
                                count_of(result.float_layers, "layer"),
                                result.float_layers == 1 ? " with weights stays float; constants "
                                                         : " with weights stay float; constants ",
                                kib(result.bytes_before), " -> ", kib(result.bytes_after), " KiB"));
  if (!result.in_float.empty()) {
    sentences.lines.push_back(str(
        result.target.empty() ? "the target" : result.target, " computes ", result.in_float.size(),
        " of the layers with quantized values in float: ", some_names(result.in_float)));
  }
  return {chart_of_integer_layers(result), sentences};
}

}  // namespace

extern const SectionDef section_integer_layers = {.title = "Size and layers",
                                                  .of_quantization = integer_layers_blocks};

}  // namespace hone
