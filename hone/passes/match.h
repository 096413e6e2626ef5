// What passes share to find a place in a graph and to change it.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "hone/graph/graph.h"
#include "hone/ops/op_def.h"

namespace hone {

// Nobody but one input of one node reads the value.
bool read_once(const Graph& graph, const Value& value);
// The node that makes the value when it is of operator `op`, else null.
Node* made_by(const Value* value, std::string_view op);
// The same when nobody else reads the value, so that the node can go into its reader.
Node* made_for(const Graph& graph, const Value* value, std::string_view op);

// An activation is fused into the node: its result is that of more than its operator.
bool activated(const Node& node);

// Null where the node has fewer inputs.
Value* input_of(const Node& node, size_t input);
// The elements of an input, or null when it is left out or computed at run time.
const Tensor* constant_of(const Node& node, size_t input);
// The one number that a constant holds.
std::optional<double> number_of(const Value* value);
// True when it holds one number, about `number`: constants that exporters write have a few digits.
bool is_number(const Value* value, double number, double tolerance = 1e-6);

// The attribute, or its default.
template <class T>
T attr_of(const Node& node, std::string_view name) {
  return NodeContext(*find_op(node.op), node).attr<T>(name);
}
// Both are tensors of one rank and the same extents. A constant inside a pattern may have raised
// the rank of what comes out of it, even where it is one number.
bool same_shape(const Value& a, const Value& b);
// Output 0 is a tensor of plain floats of known rank.
bool makes_floats(const Node& node);

// A new node before `before`, with the types that its operator infers.
Node* add_inferred(Graph& graph, std::string_view op, std::vector<Value*> inputs, Attrs attrs,
                   std::string_view name, Node* before, size_t outputs = 1);
// The attributes of a reshape to `shape`, where 0 is an extent and no word for "as before".
Attrs reshape_attrs(const Shape& shape);
// The node reads the tensor instead. What it read before is let go at once when it was a constant
// for this node alone: weights need not be held twice.
void set_constant(Graph& graph, Node& node, size_t input, std::string_view name, Tensor tensor);

// Output 0 of `by` takes the place of `from`, under its name; the nodes `old`, in running order and
// without `by`, go.
void take_place(Graph& graph, std::span<Node* const> old, Node* by, Value* from,
                std::string_view pass);
inline void take_place(Graph& graph, std::initializer_list<Node*> old, Node* by, Value* from,
                       std::string_view pass) {
  take_place(graph, std::span(old.begin(), old.size()), by, from, pass);
}
// Puts a node between an output of `node` and everything that reads it: `after` reads the output as
// its input 0, makes a value of the output's type and takes its name.
Node* add_behind(Graph& graph, Node& node, size_t output, std::string_view op,
                 std::vector<Value*> more_inputs, Attrs attrs);
// Takes away a node that nobody reads any more; true when it did.
bool erase_if_unread(Graph& graph, Node* node, std::string_view pass);
// The same for one that add_behind put somewhere: the name it took goes back.
void erase_behind(Graph& graph, Node* after, std::string_view pass);

}  // namespace hone
