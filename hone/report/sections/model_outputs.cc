#include <algorithm>
#include <filesystem>

#include "hone/base/str.h"
#include "hone/report/results/model_run.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

// "f32[1,4]  min -1.2 max 3.4 mean 0.1  first 0.3 0.5 ...".
std::string output_text_of(const Item& item) {
  constexpr size_t kShown = 4;
  if (item.absent()) return "nothing";
  if (item.is_sequence()) return str("sequence of ", item.sequence.size(), " tensors");
  const Tensor& tensor = item.tensor;
  if (tensor.dtype() == DType::String) return str(tensor.type());
  const std::vector<double> values = to_doubles(tensor);
  const OutputRange range = range_of(values);
  std::string text = str(tensor.type(), "  min ", range.smallest, " max ", range.largest, " mean ",
                         range.mean, "  first");
  for (size_t i = 0; i < std::min(values.size(), kShown); ++i) text += str(" ", values[i]);
  return text;
}

// The output is named where the file could not be called what it is.
std::string written_line(const ModelOutput& output) {
  const bool same = std::filesystem::path(output.file).stem() == output.name;
  return str("wrote ", output.file, same ? "" : str(", output '", output.name, "'"));
}

Blocks model_outputs_blocks(const ModelRun& run, const ShowOptions&) {
  Sentences lines;
  const auto add = [&](const std::string& name, const std::string& text) {
    lines.lines.push_back(str(name, "  ", text));
  };
  for (const ModelOutput& output : run.outputs) add(output.name, output_text_of(output.item));
  add("latency", describe(run.latency));
  if (run.computing) add(run.computing->name, describe(*run.computing));
  for (const ModelOutput& output : run.outputs) {
    if (!output.file.empty()) lines.lines.push_back(written_line(output));
  }
  return {lines};
}

}  // namespace

extern const SectionDef section_model_outputs = {.title = "Outputs",
                                                 .of_model_run = model_outputs_blocks};

}  // namespace hone
