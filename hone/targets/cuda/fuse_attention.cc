#include "hone/targets/cuda/fuse_attention.h"

#include <algorithm>
#include <optional>

#include "hone/passes/match.h"

namespace hone::cuda {
namespace {

constexpr std::string_view kFuseAttention = "fuse_attention";

// The parts of one place, from the softmax outwards.
struct Heads {
  Node* q = nullptr;  // Transposes.
  Node* k = nullptr;
  Node* v = nullptr;
  Node* scores = nullptr;
  Node* scale = nullptr;  // Null where there is none.
  Node* softmax = nullptr;
  Node* context = nullptr;
  Node* result = nullptr;  // The transpose back.
  double factor = 1;
};

// A transpose of [batch, tokens, heads, depth], for this reader alone.
Node* transposed(const Graph& graph, const Value* value, const Ints& perm) {
  Node* node = made_for(graph, value, "transpose");
  return node != nullptr && attr_of<Ints>(*node, "perm") == perm ? node : nullptr;
}

Node* only_reader(const Graph& graph, const Value& value, std::string_view op) {
  if (!read_once(graph, value)) return nullptr;
  Node* reader = value.users[0].node;
  return reader->op == op ? reader : nullptr;
}

// scores, or scores times a number.
bool find_scores(const Graph& graph, Heads& heads) {
  const Value* value = heads.softmax->inputs[0];
  if (Node* scale = made_for(graph, value, "mul"); scale != nullptr && !activated(*scale)) {
    const auto second = number_of(scale->inputs[1]);
    const auto first = number_of(scale->inputs[0]);
    if (!first && !second) return false;
    heads.scale = scale;
    heads.factor = second ? *second : *first;
    value = scale->inputs[second ? 0 : 1];
  }
  heads.scores = made_for(graph, value, "matmul");
  return heads.scores != nullptr;
}

bool is_last_axis(const Node& softmax) {
  const int64_t axis = attr_of<int64_t>(softmax, "axis");
  return axis == -1 || axis == softmax.inputs[0]->type.tensor.rank() - 1;
}

// Kernels hold a row of a head in registers, in pieces of 16.
bool fits(const Heads& heads) {
  constexpr int64_t kDeepest = 128;
  const TensorType& q = heads.q->inputs[0]->type.tensor;
  const TensorType& k = heads.k->inputs[0]->type.tensor;
  const TensorType& v = heads.v->inputs[0]->type.tensor;
  if (!q.known() || !k.known() || !v.known() || q.rank() != 4) return false;
  return q.dtype == DType::F16 && k.shape == v.shape && q.shape[0] == k.shape[0] &&
         q.shape[2] == k.shape[2] && q.shape[3] == k.shape[3] && q.shape[3] % 16 == 0 &&
         q.shape[3] <= kDeepest;
}

std::optional<Heads> heads_around(const Graph& graph, Node* softmax) {
  const Ints apart = {0, 2, 1, 3};
  Heads heads{.softmax = softmax};
  if (!is_last_axis(*softmax) || !find_scores(graph, heads)) return std::nullopt;
  heads.q = transposed(graph, heads.scores->inputs[0], apart);
  heads.k = transposed(graph, heads.scores->inputs[1], {0, 2, 3, 1});
  heads.context = only_reader(graph, *softmax->outputs[0], "matmul");
  if (heads.context == nullptr || heads.context->inputs[0] != softmax->outputs[0]) {
    return std::nullopt;
  }
  heads.v = transposed(graph, heads.context->inputs[1], apart);
  heads.result = only_reader(graph, *heads.context->outputs[0], "transpose");
  if (heads.q == nullptr || heads.k == nullptr || heads.v == nullptr || heads.result == nullptr ||
      attr_of<Ints>(*heads.result, "perm") != apart || !fits(heads)) {
    return std::nullopt;
  }
  return heads;
}

// [batch, tokens, heads, depth] with the heads of a token side by side.
Value* tokens_of(Graph& graph, Node* transpose, Node* before) {
  Value* value = transpose->inputs[0];
  const Shape& shape = value->type.tensor.shape;
  const Shape joined = {shape[0], shape[1], shape[2] * shape[3]};
  Value* extents = graph.add_constant(value->name + ".tokens", Tensor::of_ints(joined));
  return add_inferred(graph, "reshape", {value, extents}, reshape_attrs(joined),
                      value->name + ".tokens", before)
      ->outputs[0];
}

void fuse(Graph& graph, const Heads& heads) {
  Node* before = heads.result;
  const Shape shape = heads.result->outputs[0]->type.tensor.shape;
  Value* q = tokens_of(graph, heads.q, before);
  Value* k = tokens_of(graph, heads.k, before);
  Value* v = tokens_of(graph, heads.v, before);
  Node* attention =
      add_inferred(graph, "attention", {q, k, v},
                   {{"q_num_heads", shape[2]}, {"kv_num_heads", shape[2]}, {"scale", heads.factor}},
                   heads.context->name, before);
  Value* extents = graph.add_constant(heads.result->name + ".heads", Tensor::of_ints(shape));
  Node* apart = add_inferred(graph, "reshape", {attention->outputs[0], extents},
                             reshape_attrs(shape), heads.result->name, before);
  std::vector<Node*> old = {heads.q, heads.k, heads.v, heads.scores};
  for (const Node* node : old) graph.inherit_origins(attention, *node);
  for (const Node* node : {heads.scale, heads.softmax, heads.context}) {
    if (node != nullptr) graph.inherit_origins(attention, *node);
  }
  if (heads.scale != nullptr) old.push_back(heads.scale);
  old.insert(old.end(), {heads.softmax, heads.context, heads.result});
  std::ranges::sort(old, [&](const Node* a, const Node* b) { return graph.runs_before(*a, *b); });
  take_place(graph, old, apart, heads.result->outputs[0], kFuseAttention);
}

}  // namespace

int fuse_attention(Graph& graph) {
  int count = 0;
  for (Node* node : graph.nodes()) {
    if (node->op != "softmax") continue;
    if (const auto heads = heads_around(graph, node)) {
      fuse(graph, *heads);
      ++count;
    }
  }
  return count;
}

}  // namespace hone::cuda
