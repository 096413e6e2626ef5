#include "hone/targets/common/prepare_graph.h"

#include <algorithm>

#include "hone/base/parallel.h"
#include "hone/ops/infer_types.h"
#include "hone/passes/half_precision.h"
#include "hone/passes/hybrid_weights.h"
#include "hone/passes/pass_def.h"
#include "hone/targets/common/reference_support.h"

namespace hone {
namespace {

// Of ONNX, rather than integers that a file has as such.
bool has_qdq_pairs(const Graph& graph) {
  bool pairs = false;
  for (const Node* node : graph.nodes()) {
    if (node->outputs[0]->type.tensor.quantized()) return false;
    pairs = pairs || node->op == "quantize_linear";
  }
  return pairs;
}

}  // namespace

Result<CompileOptions> prepare_graph(Graph& graph, const CompileOptions& options,
                                     const EngineTraits& traits) {
  CompileOptions resolved = options;
  if (options.threads == 0) resolved.threads = hardware_threads();
  if (options.qdq_rounds_once && has_qdq_pairs(graph)) resolved.eval.rounding = Rounding::Single;
  // Passes count on types, which unknown operators do not give.
  run_pass(graph, "remove_dead");
  for (const Node* node : graph.nodes()) HONE_RETURN_IF_ERROR(check_reference(*node));
  if (options.eval.expand_hybrid_weights) expand_hybrid_weights(graph);
  PipelineOptions passes{.disabled = options.disabled_passes, .last = PassStage::Engine};
  if (!traits.parts_channels) passes.disabled.insert("part_channels");
  HONE_RETURN_IF_ERROR(optimize(graph, passes));
  if (options.precision == Precision::F16) use_half_precision(graph, traits.wide_sums);
  if (options.precision == Precision::BF16 && traits.bfloats) {
    use_half_precision(graph, traits.wide_sums, DType::BF16);
  }
  HONE_RETURN_IF_ERROR(infer_types(graph));
  return resolved;
}

bool is_plannable(const Value& value) {
  return value.type.is_tensor() && value.type.tensor.known() &&
         value.type.tensor.dtype != DType::String;
}

bool is_empty(const Value& value) {
  return is_plannable(value) && value.type.tensor.elements() == 0;
}

bool is_view(const Node& node) {
  if (kind_of(node) != OpKind::View) return false;
  const Value& from = *node.inputs[0];
  const Value& to = *node.outputs[0];
  return !from.constant && is_plannable(from) && is_plannable(to) &&
         from.type.tensor.dtype == to.type.tensor.dtype &&
         from.type.tensor.elements() == to.type.tensor.elements();
}

}  // namespace hone
