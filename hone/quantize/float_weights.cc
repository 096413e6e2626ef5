#include "hone/quantize/float_weights.h"

#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

template <class T>
Tensor narrowed(const Tensor& floats) {
  Tensor result(TensorType{kDTypeOf<T>, floats.shape()});
  const auto from = floats.data<float>();
  const auto to = result.mutable_data<T>();
  for (size_t i = 0; i < from.size(); ++i) to[i] = T(from[i]);
  return result;
}

}  // namespace

int store_weights_as(Graph& graph, DType dtype, int64_t least) {
  int stored = 0;
  for (Value* value : graph.constants()) {
    if (value->type.tensor.dtype != DType::F32 || value->type.tensor.quantized() ||
        value->constant->elements() <= least || value->users.empty()) {
      continue;
    }
    Tensor narrow = dtype == DType::BF16 ? narrowed<BFloat16>(*value->constant)
                                         : narrowed<Half>(*value->constant);
    Node* first = nullptr;
    for (Node* node : graph.nodes()) {
      for (const Use& use : value->users) {
        if (first == nullptr && use.node == node) first = node;
      }
    }
    Value* constant =
        graph.add_constant(value->name + "." + std::string(name_of(dtype)), std::move(narrow));
    Node* cast = graph.add_node("cast", {constant}, {value->type}, {{"to", DType::F32}},
                                value->name + ".cast", first);
    graph.replace_uses(value, cast->outputs[0]);
    ++stored;
  }
  graph.remove_unused_constants();
  return stored;
}

}  // namespace hone
