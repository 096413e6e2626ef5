// What the operators with subgraphs share. A body is closed: what it captures from around it comes
// as the last inputs of the node, `captures` of them, and as the last inputs of every body.
#pragma once

#include <vector>

#include "hone/ops/op_def.h"

namespace hone {

inline constexpr int kManyOutputs = 1 << 20;

inline AttrDef body_attr(std::string_view name) {
  return {name, std::shared_ptr<Graph>(), kRequired};
}
inline AttrDef captures_attr() {
  return {"captures", int64_t{0}};
}
inline InputDef captures_input(std::string_view name) {
  return {name, kEvery, 0, kOptionalVariadic, InputDef::Kind::Any};
}

const Graph& body_of(const NodeContext& in, std::string_view attr = "body");

// The number of inputs before the captured ones. BadInput unless they are `fewest` or more.
Result<size_t> own_inputs(const NodeContext& in, size_t fewest);

// BadInput unless the body takes `inputs` values and gives `outputs` or more.
Status check_body(const Graph& body, size_t inputs, size_t outputs);

// The type of what a body gives: element type and kind, as far as the body or else the file tells.
ValueType type_from_body(const Value* made, const Value& declared);

// The types that the outputs of a body have when its inputs have these (null: nothing is known of
// it); empty when that cannot be told.
std::vector<ValueType> types_in_body(const Graph& body, const std::vector<const ValueType*>& given);
// The types that the scan outputs of an iteration that never ran would have had, given these
// inputs: as far as they follow from them, else as the body declares them.
std::vector<ValueType> types_without_a_run(const Graph& body, const std::vector<ValueType>& given);
ValueType type_of(const Item& item);
// The types of the node's inputs from `first` on.
std::vector<const ValueType*> types_from(const InferContext& in, size_t first);
// `type` with the extents of `inferred`, where both are tensors.
void take_extents(ValueType& type, const ValueType& inferred);

// The inputs from `first` on; absent where left out.
std::vector<Item> items_from(const EvalContext& in, size_t first);

// The value of a condition: a bool tensor of one element.
Result<bool> truth_of(const Item& item);

// The slice at `index` along `axis`, without that axis.
Tensor slice_at(const Tensor& tensor, size_t axis, int64_t index);

// The items, which must be tensors of one type, along a new axis (counted in the result).
Result<Tensor> stack(const std::vector<Item>& items, int64_t axis);
// The same of no items, which would have been of this type; unknown extents are 0.
Result<Tensor> stack_none(const ValueType& type, int64_t axis);

}  // namespace hone
