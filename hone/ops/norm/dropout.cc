// dropout(x) = x in inference, and a mask of true. In training with a ratio above zero it is
// random, which Hone does not run.

#include "hone/ops/common.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

constexpr double kDefaultRatio = 0.5;

// Whether the optional scalar input is known to be something else than zero.
bool known_nonzero(const Tensor* value) {
  return value != nullptr && value->elements() == 1 && to_doubles(*value)[0] != 0;
}

Result<std::vector<ValueType>> infer_dropout(const InferContext& in) {
  for (const size_t input : {size_t{1}, size_t{2}}) {
    if (in.value(input) != nullptr && in.value(input)->elements() != 1) {
      return bad_input(in.op().inputs[input].name, " has ", in.value(input)->elements(),
                       " elements, expected 1");
    }
  }
  const bool drops = in.has(1) ? known_nonzero(in.value(1)) : kDefaultRatio != 0;
  if (drops && known_nonzero(in.value(2))) return unsupported("training mode dropout is random");
  const TensorType type = plain(in.type(0));
  TensorType mask = type;
  mask.dtype = DType::Bool;
  return std::vector<ValueType>{type, mask};
}

// infer, which has seen all values, has refused what is random.
Status eval_dropout(EvalContext& in) {
  in.set(0, in.in(0));
  if (in.outputs() < 2) return Done{};
  for (bool& kept : in.out(1).mutable_data<bool>()) kept = true;
  return Done{};
}

// Before opset 12 the ratio was an attribute and the operator always in inference, but before opset
// 7 only if is_test said so. Before opset 10 the mask was of the type of x.
Status upgrade_dropout(OnnxImport& in) {
  if (in.opset >= 12) return Done{};
  const double ratio = in.take<double>("ratio", kDefaultRatio);
  in.take<Ints>("consumed_inputs", {});
  if (in.opset < 7 && in.take<int64_t>("is_test", 0) == 0 && ratio != 0) {
    return unsupported("training mode dropout is random");
  }
  in.inputs.resize(1);
  if (in.opset >= 10 || in.outputs < 2) return Done{};
  const Node* node = in.add(in.op, in.inputs, {}, 2);
  in.results = {node->outputs[0], in.add("cast_like", {node->outputs[1], in.input(0)})->outputs[0]};
  return Done{};
}

}  // namespace

extern const OpDef op_dropout = {
    .name = "dropout",
    .summary = "Identity in inference; random in training, which Hone does not run.",
    .inputs = {{"x", kFloat},
               {"ratio", kFloat, 0, kOptional},
               {"training_mode", kBoolean, 0, kOptional}},
    .attrs = {{"seed", int64_t{0}}},
    .max_outputs = 2,
    .infer = infer_dropout,
    .eval = eval_dropout,
    .onnx = {{"Dropout", upgrade_dropout}},
    .cases = {"(f32[2,3,5])"},
};

}  // namespace hone
