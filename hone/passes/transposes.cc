#include "hone/passes/transposes.h"

#include <algorithm>
#include <numeric>

#include "hone/passes/match.h"

namespace hone {

Ints to_nhwc(size_t rank) {
  Ints perm{0};
  for (size_t axis = 2; axis < rank; ++axis) perm.push_back(static_cast<int64_t>(axis));
  perm.push_back(1);
  return perm;
}

Ints to_nchw(size_t rank) {
  return inverse(to_nhwc(rank));
}

Ints perm_of(const Node& transpose) {
  if (const Ints* given = transpose.find_attr<Ints>("perm")) return *given;
  Ints perm(transpose.inputs[0]->type.tensor.shape.size());
  std::iota(perm.rbegin(), perm.rend(), int64_t{0});
  return perm;
}

bool is_identity(const Ints& perm) {
  return std::ranges::is_sorted(perm);
}

Ints inverse(const Ints& perm) {
  Ints result(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    result[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  }
  return result;
}

Ints compose(const Ints& first, const Ints& second) {
  Ints result;
  for (const int64_t axis : second) result.push_back(first[static_cast<size_t>(axis)]);
  return result;
}

bool moves_only_ones(const Shape& shape, const Ints& perm) {
  Ints others;
  for (const int64_t axis : perm) {
    if (shape[static_cast<size_t>(axis)] != 1) others.push_back(axis);
  }
  return std::ranges::is_sorted(others);
}

Shape permuted(const Shape& shape, const Ints& perm) {
  Shape result;
  for (const int64_t axis : perm) result.push_back(shape[static_cast<size_t>(axis)]);
  return result;
}

Value* transpose_before(Graph& graph, Value* value, const Ints& perm, Node& reader) {
  for (const Use& use : value->users) {
    if (use.node->op != "transpose" || perm_of(*use.node) != perm) continue;
    if (graph.runs_before(*use.node, reader)) return use.node->outputs[0];
  }
  Node* node = graph.add_node("transpose", {value}, {permuted(value->type.tensor, perm)},
                              {{"perm", perm}}, reader.name, &reader);
  graph.set_origins(node, reader.origins);
  return node->outputs[0];
}

Node* transpose_after(Graph& graph, Node& node, size_t output, const Ints& perm) {
  Node* after = add_behind(graph, node, output, "transpose", {}, {{"perm", perm}});
  ValueType& type = node.outputs[output]->type;
  type = permuted(type.tensor, inverse(perm));
  return after;
}

}  // namespace hone
