#include "hone/analyze/remedy_def.h"

namespace hone {
namespace {

Result<bool> apply_use_integer_io(const Prescription& model, const Finding*, std::string&) {
  const IntegerIo made = use_integer_io(*model.graph);
  if (made.empty()) return false;
  IntegerIo& io = model.io->integers;
  io.inputs.insert(io.inputs.end(), made.inputs.begin(), made.inputs.end());
  io.outputs.insert(io.outputs.end(), made.outputs.begin(), made.outputs.end());
  return true;
}

}  // namespace

extern const RemedyDef remedy_use_integer_io = {
    .id = "use_integer_io",
    .summary = "Takes the inputs and gives the outputs of a quantized model as integers.",
    .rules = {"npu_reformat", "conversions_left"},
    .changes_io = true,
    .apply = apply_use_integer_io,
};

}  // namespace hone
