// What Hone knows of one operator, as a struct: its inputs, attributes, types, cost, reference
// implementation and import rules. The canonical form of an operator is that of the newest ONNX
// version under a snake_case name, with these additions:
//   layout      "nchw" (default) or "nhwc" on image operators; nhwc weights are OHWI
//   activation  "" (default), "relu", ... (common.h has the list): applied to the result, on those
//               operators that list it, with activation_params
//   residual    a last input of conv and gemm, added to the result before the activation
//   quantized types: an operator that says so accepts tensors with quantization parameters, and
//               then computes with TFLite's integer arithmetic
// Older ONNX versions and TFLite are turned into this form at import.
#pragma once

#include <string_view>
#include <vector>

#include "hone/graph/graph.h"
#include "hone/ops/context.h"
#include "hone/tensor/dtype.h"

namespace hone {

struct OnnxImport;   // hone/ops/onnx_import.h
class TfliteImport;  // hone/ops/tflite_import.h

// What an input accepts. Inputs with the same non-zero `var` must have the same element type.
struct InputDef {
  enum class Presence { Required, Optional, Variadic, OptionalVariadic };
  enum class Kind { Tensor, Sequence, Any };

  std::string_view name;
  DTypeSet types;
  char var = 0;
  Presence presence = Presence::Required;  // Variadic: one or more, and the last input.
  Kind kind = Kind::Tensor;                // Any: a tensor, a sequence or an optional of one.
};
inline constexpr InputDef::Presence kOptional = InputDef::Presence::Optional;
inline constexpr InputDef::Presence kVariadic = InputDef::Presence::Variadic;
inline constexpr InputDef::Presence kOptionalVariadic = InputDef::Presence::OptionalVariadic;

// An attribute with its default. The type of `value` is the type it must have; `absent` means that
// there is no default (ask has_attr), `required` that the node must give one.
struct AttrDef {
  enum class Presence { Default, Absent, Required };
  std::string_view name;
  Attr value;
  Presence presence = Presence::Default;
};
inline constexpr AttrDef::Presence kAbsent = AttrDef::Presence::Absent;
inline constexpr AttrDef::Presence kRequired = AttrDef::Presence::Required;

// What a node of an operator is, whatever its attributes say: passes, rules and targets ask this
// rather than list names.
enum class OpKind {
  Other,
  Function,    // Element by element, of the first input; further ones are settings.
  Broadcast,   // Element by element, of all inputs, broadcast together.
  Movement,    // Every element is one of the input's, or a constant: concat, slice, pad, ...
  View,        // The same elements in the same order, under another shape.
  Conversion,  // The same values in another element type or scale.
  Product,     // Sums of products with weights, the second input.
  Pool,        // The largest or the mean of a window.
  Reduction,   // Of many elements along `axes`, the second input, one.
};

// What the operator becomes between dequantize_linear and quantize_linear where integers can do it;
// says which scales there must be.
enum class IntegerForm {
  None,
  Weights,    // int8 weights, and a bias in units of both scales.
  Scaled,     // Inputs and result have scales of their own.
  Mean,       // As Scaled, of one input.
  SameScale,  // The results have the scale of the first input.
  Joined,     // All inputs have the scale of the result.
  Softmax,    // The result has the one scale of TFLite's softmax.
};

// Arithmetic of one node: multiply-accumulates, and the operations besides them. The bytes follow
// from the types and need no function.
struct Cost {
  int64_t macs = 0;
  int64_t flops = 0;
};

// How an ONNX operator becomes this one. `upgrade` turns an older version, or another spelling,
// into the canonical form; null when every version since opset 7 already has it.
struct OnnxRule {
  std::string_view op_type;
  Status (*upgrade)(OnnxImport& in) = nullptr;
  std::string_view domain = "";
  int64_t since = 1;  // The operator set that brought it; matters from 22 on, when it is written.
};

// How a TFLite builtin or custom operator is lowered.
struct TfliteRule {
  std::string_view op;
  Status (*import)(TfliteImport& in);
};

struct OpDef {
  std::string_view name;
  std::string_view summary;  // One sentence, shown by `hone ops`.
  OpKind kind = OpKind::Other;
  IntegerForm integers = IntegerForm::None;
  bool half = false;  // Does as well on half precision, of all its floats at once.
  std::vector<InputDef> inputs = {};
  std::vector<AttrDef> attrs = {};
  int min_outputs = 1;
  int max_outputs = 1;
  bool quantized = false;  // Accepts tensors with quantization parameters.
  bool random = false;     // Two runs may give different results.

  // The output types from the input types, the attributes and what values are known. Called before
  // a run with what the graph tells, and during it with everything known; then every output whose
  // extents do not depend on element values must come out known.
  Result<std::vector<ValueType>> (*infer)(const InferContext& in);
  // Null: only moves data, or does nothing.
  Cost (*cost)(const InferContext& in) = nullptr;
  // The reference. Null: Hone can read and write this operator but not run it.
  Status (*eval)(EvalContext& in) = nullptr;
  // The value of output 0 when it follows from the input types alone, as that of `shape` does.
  std::optional<Tensor> (*fold)(const InferContext& in) = nullptr;

  std::vector<OnnxRule> onnx = {};  // The first is the one to write.
  std::vector<TfliteRule> tflite = {};

  // What to try it on: one node each, in the form of hone/ops/op_case.h. Every target runs them
  // beside the reference.
  std::vector<std::string_view> cases = {};
};

// In alphabetical order.
const std::vector<const OpDef*>& all_ops();
const OpDef* find_op(std::string_view name);
// Of the node's operator; Other and None of one that is not known.
OpKind kind_of(const Node& node);
IntegerForm integer_form(const Node& node);
inline bool is_elementwise(OpKind kind) {
  return kind == OpKind::Function || kind == OpKind::Broadcast;
}
// By the name and domain of the file's operator; null when no rule knows it.
struct OnnxMatch {
  const OpDef* op;
  const OnnxRule* rule;
};
std::optional<OnnxMatch> find_onnx_op(std::string_view op_type, std::string_view domain);
const TfliteRule* find_tflite_op(std::string_view op);

// Holds the node to its OpDef: number of inputs and outputs, attribute names and types, element
// types. `types` are those of the inputs, null where left out. Undefined element types pass.
Status check_node(const OpDef& op, const Node& node, const std::vector<const ValueType*>& types);

}  // namespace hone
