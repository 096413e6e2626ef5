// The model as the file that optimize writes will hold it: constants folded, batch norms in the
// weights, and what does nothing left out. Where the model was no ONNX, its integers then round as
// those of Q/DQ pairs do, unless run otherwise, and weights that were integers under floats are
// floats.

#include "hone/analyze/remedy_def.h"
#include "hone/base/str.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr const char* kAsTflite = "tflite-reference";

bool is_quantized(const Graph& graph) {
  for (const Node* node : graph.nodes()) {
    if (node->outputs[0]->type.tensor.quantized()) return true;
  }
  return false;
}

// As ONNX's pairs round; where that gives other results, as TFLite does.
std::vector<std::string> writer_settings(const Prescription& model) {
  if (!model.options->qdq_rounds_once || !is_quantized(*model.graph)) return {""};
  return {"", kAsTflite};
}

Result<bool> apply_write_onnx(const Prescription& model, const Finding*, std::string& setting) {
  if (!setting.empty() && setting != kAsTflite) {
    return bad_input("setting is '", setting, "', expected none or ", kAsTflite);
  }
  if (setting == kAsTflite) {
    model.options->qdq_rounds_once = false;
    model.options->eval.rounding = Rounding::Double;
  }
  HONE_RETURN_IF_ERROR(optimize(*model.graph, {.disabled = model.options->disabled_passes}));
  return true;
}

}  // namespace

extern const RemedyDef remedy_write_onnx = {
    .id = "write_onnx",
    .summary =
        "Folds what is constant, leaves out what does nothing, and writes the model as ONNX.",
    .apply = apply_write_onnx,
    .settings = writer_settings,
};

}  // namespace hone
