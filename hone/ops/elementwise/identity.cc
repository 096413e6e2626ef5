// y is x: a tensor, a sequence, or an optional of either.

#include "hone/ops/common.h"
#include "hone/ops/control/variables_tflite.h"
#include "hone/ops/movement/movement_tflite.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_identity(const InferContext& in) {
  ValueType type = in.value_type(0);
  type.tensor = plain(type.tensor);
  return std::vector<ValueType>{type};
}

Status eval_identity(EvalContext& in) {
  Item item = in.item(0);
  if (item.is_tensor()) item = item.tensor.with_quantization(in.out_type().tensor.quant);
  in.set(0, std::move(item));
  return Done{};
}

}  // namespace

extern const OpDef op_identity = {
    .name = "identity",
    .summary = "Its input.",
    .kind = OpKind::View,
    .inputs = {{.name = "x", .types = kEvery, .kind = InputDef::Kind::Any}},
    .quantized = true,
    .infer = infer_identity,
    .eval = eval_identity,
    .onnx = {{"Identity"}},
    .tflite = {{"DENSIFY", import_densify},
               {"VAR_HANDLE", import_var_handle},
               {"READ_VARIABLE", import_read_variable},
               {"ASSIGN_VARIABLE", import_assign_variable},
               {"CALL_ONCE", import_call_once}},
    .cases = {"(f32[2,3,5])"},
};

}  // namespace hone
