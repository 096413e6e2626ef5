#include <algorithm>
#include <array>

#include "hone/targets/c_code/emitter.h"

namespace hone::c_code {
namespace {

bool only_moves(const Node* node) {
  constexpr std::array<std::string_view, 6> kMoves = {"identity", "transpose", "reshape",
                                                      "flatten",  "squeeze",   "unsqueeze"};
  return node != nullptr && std::ranges::count(kMoves, node->op) > 0;
}

// What brings floats into another order behind `maker`, which makes them of integers, the last first.
std::vector<Node*> moves_behind(const Value* output, Node*& maker) {
  std::vector<Node*> moves;
  for (maker = output->producer; only_moves(maker); maker = maker->inputs[0]->producer) {
    moves.push_back(maker);
  }
  return moves;
}

bool makes_floats(const Node* node) {
  return node != nullptr && (node->op == "requantize" || node->op == "dequantize_linear") &&
         check_int8(node->inputs[0]).ok();
}

// The same node of bytes of one scale.
Value* moved_bytes(Graph& graph, const Node& move, Value* bytes, Node* before) {
  std::vector<Value*> inputs = move.inputs;
  inputs[0] = bytes;
  ValueType type = move.outputs[0]->type;
  type.tensor.dtype = DType::I8;
  type.tensor.quant = bytes->type.tensor.quant;
  return graph.add_node(move.op, inputs, {type}, move.attrs, move.name, before)->outputs[0];
}

void erase_unread(Graph& graph, Node* node) {
  const Value* made = node->outputs[0];
  if (made->users.empty() && !graph.is_output(made)) graph.erase(node, "integers");
}

}  // namespace

void move_integers(Graph& graph) {
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    Value* output = graph.outputs()[i];
    Node* maker = nullptr;
    const std::vector<Node*> moves = moves_behind(output, maker);
    if (moves.empty() || output->type.tensor.dtype != DType::F32 || !makes_floats(maker)) continue;
    Value* bytes = maker->inputs[0];
    for (size_t m = moves.size(); m > 0; --m) {
      if (moves[m - 1]->op == "identity") continue;
      bytes = moved_bytes(graph, *moves[m - 1], bytes, moves[0]);
    }
    std::vector<Value*> inputs = maker->inputs;
    inputs[0] = bytes;
    Node* made =
        graph.add_node(maker->op, inputs, {output->type}, maker->attrs, maker->name, moves[0]);
    const std::string name = output->name;
    graph.set_output(i, made->outputs[0]);
    for (Node* move : moves) erase_unread(graph, move);
    erase_unread(graph, maker);
    made->outputs[0]->name = name;
  }
}

}  // namespace hone::c_code
