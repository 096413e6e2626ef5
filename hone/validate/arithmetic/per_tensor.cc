#include "hone/validate/arithmetic/per_tensor.h"

#include <algorithm>
#include <cmath>

#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

// stored * own scale / scale, by the channel that an element belongs to.
Tensor rescaled(const Tensor& stored, size_t axis, const std::vector<float>& scales, float scale,
                std::shared_ptr<const Quantization> quant) {
  const auto inner = static_cast<size_t>(elements(std::span(stored.shape()).subspan(axis + 1)));
  Tensor result(TensorType{stored.dtype(), stored.shape(), std::move(quant)});
  dispatch<int8_t, int32_t>(stored.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto from = stored.data<T>();
    const auto to = result.mutable_data<T>();
    for (size_t i = 0; i < from.size(); ++i) {
      const double ratio = static_cast<double>(scales[i / inner % scales.size()]) / scale;
      to[i] = static_cast<T>(std::lround(static_cast<double>(from[i]) * ratio));
    }
  });
  return result;
}

std::shared_ptr<const Quantization> one_scale(float scale) {
  return std::make_shared<Quantization>(Quantization{{scale}, {0}});
}

// The constant at an input, if it is of that type.
const Tensor* constant_at(const Node& node, size_t input, DType dtype) {
  const Value* value = input < node.inputs.size() ? node.inputs[input] : nullptr;
  return value != nullptr && value->constant && value->constant->dtype() == dtype
             ? &*value->constant
             : nullptr;
}

bool make_per_tensor(Graph& graph, Node* node) {
  if (node->op != "conv" && node->op != "gemm") return false;
  const auto& x = node->inputs[0]->type.tensor.quant;
  const Tensor* w = constant_at(*node, 1, DType::I8);
  if (!x || w == nullptr || !w->type().quantized() || w->type().quant->per_tensor()) return false;
  const bool biased = node->inputs.size() > 2 && node->inputs[2] != nullptr;
  const Tensor* bias = constant_at(*node, 2, DType::I32);
  if (biased && bias == nullptr) return false;
  const std::vector<float> scales = w->type().quant->scales;
  const float scale = *std::ranges::max_element(scales);
  const auto axis = static_cast<size_t>(w->type().quant->axis);
  Value* weights = graph.add_constant(node->inputs[1]->name + ".per_tensor",
                                      rescaled(*w, axis, scales, scale, one_scale(scale)));
  if (biased) {
    // One element per channel, in units of the products.
    const Tensor flat = bias->reshaped({bias->elements()});
    Tensor moved = rescaled(flat, 0, scales, scale, one_scale(x->scale() * scale));
    graph.set_input(
        node, 2,
        graph.add_constant(node->inputs[2]->name + ".per_tensor", moved.reshaped(bias->shape())));
  }
  graph.set_input(node, 1, weights);
  return true;
}

}  // namespace

int make_per_tensor(Graph& graph) {
  int changed = 0;
  for (Node* node : graph.nodes()) changed += make_per_tensor(graph, node) ? 1 : 0;
  graph.remove_unused_constants();
  return changed;
}

}  // namespace hone
