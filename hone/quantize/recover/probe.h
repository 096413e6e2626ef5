// Runs a network, or the part of it that leads to some values, on the cpu target to see those
// values.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "hone/quantize/recover/layer.h"
#include "hone/quantize/sample_source.h"
#include "hone/targets/target.h"

namespace hone {

// Weights behind a dequantize_linear are expanded, so that every layer runs on float kernels
// whatever scales it has; activations pass the graph's quantize_linear as they are. So what is seen
// is what the Q/DQ graph says, not what an integer engine makes of it, which may differ by a unit
// of the last place.
class Probe {
 public:
  // Works on a copy. Layers and values that are asked for are those of `graph`.
  explicit Probe(const Graph& graph);

  // Each adds one thing to see. The layer's sum and bias, without residual or activation:
  void see_sums(const ProductLayer& layer);
  // The same of other weights and bias on the layer's input, as means over the image of a conv.
  void see_mean_sums(const ProductLayer& layer, const Tensor& weights, const Tensor& bias);
  void see_mean_sums(const ProductLayer& layer);
  void see(const Value& value);

  // What was asked for, in that order, for one sample. Nodes that lead to none of it do not run.
  Result<const std::vector<Item>*> run(const SampleSource& samples, int64_t index);

 private:
  Node* add_sums(const ProductLayer& layer, Value* weights, Value* bias);
  void see_mean_sums(const ProductLayer& layer, Value* weights, Value* bias);
  void expand_weights();
  Status compile();

  std::unique_ptr<Graph> graph_;
  std::unordered_map<const Node*, const Node*> copies_;
  std::vector<Value*> seen_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<Session> session_;
  std::vector<Item> outputs_;
};

}  // namespace hone
