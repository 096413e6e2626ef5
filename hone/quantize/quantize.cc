#include "hone/quantize/quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "hone/model/onnx_lower.h"
#include "hone/ops/op_def.h"
#include "hone/passes/pass_def.h"
#include "hone/quantize/batch_norm_layers.h"
#include "hone/quantize/dequantize.h"
#include "hone/quantize/insert_qdq.h"

namespace hone {
namespace {

// What only moves values has seen what it was given; a plan may quantize it or not.
void follow(const std::vector<QuantLayer>& layers, Calibration& calibration) {
  for (const QuantLayer& layer : layers) {
    if (layer.kind != LayerKind::Keep) continue;
    Observation together;
    for (const Use& use : layer.operands) {
      const auto seen = calibration.seen.find(use.node->inputs[use.input]->name);
      if (seen != calibration.seen.end()) together.merge(seen->second);
    }
    for (const Value* output : layer.node->outputs) calibration.seen[output->name] = together;
  }
}

// Values that share a scale have seen the same. BadInput when one that is to be quantized was not
// looked at.
Result<Ranges> ranges_of(const std::vector<QuantLayer>& layers, const Calibration& calibration,
                         const CalibrationOptions& options) {
  const auto stands_for = same_scale(layers);
  std::unordered_map<const Value*, Observation> together;
  std::unordered_map<const Value*, Scheme> schemes;
  for (const auto& [value, by] : stands_for) {
    const auto found = calibration.seen.find(value->name);
    if (found != calibration.seen.end()) together[by].merge(found->second);
  }
  for (const QuantLayer& layer : layers) {
    if (layer.scheme.quantizes_activations()) {
      schemes.try_emplace(stands_for.at(layer.result), layer.scheme);
      for (const Use& use : layer.operands) {
        schemes.try_emplace(stands_for.at(use.node->inputs[use.input]), layer.scheme);
      }
    }
  }
  for (const auto& [value, by] : stands_for) {
    if (schemes.contains(by) && !calibration.seen.contains(value->name)) {
      return bad_input("value '", value->name,
                       "' has no range: the network that was calibrated has no such value");
    }
  }
  std::unordered_map<const Value*, Range> chosen;
  for (const auto& [by, seen] : together) {
    if (seen.samples == 0 || !schemes.contains(by)) continue;
    chosen[by] = choose_range(seen, options.method, options.percentile, schemes[by]);
  }
  Ranges ranges;
  for (const auto& [value, by] : stands_for) {
    if (const auto range = chosen.find(by); range != chosen.end()) ranges[value] = range->second;
  }
  return ranges;
}

// Inputs of a concat share one scale; where one is much smaller than another nothing would be left
// of it: scores beside boxes in pixels.
bool is_uneven(const QuantLayer& layer, const Calibration& calibration) {
  constexpr float kMost = 16;
  if (layer.node->op != "concat") return false;
  float least = std::numeric_limits<float>::infinity(), most = 0;
  for (const Use& use : layer.operands) {
    const auto seen = calibration.seen.find(use.node->inputs[use.input]->name);
    if (seen == calibration.seen.end()) continue;
    const Range range = seen->second.range;
    const float largest = std::max(std::abs(range.low), std::abs(range.high));
    if (largest > 0) least = std::min(least, largest);
    most = std::max(most, largest);
  }
  return most > kMost * least;
}

bool may_have_weights(const Node& node) {
  static const std::set<std::string_view> kRecurrent = {"gru", "lstm", "lstmp", "rnn"};
  return kind_of(node) == OpKind::Product || kRecurrent.contains(node.op);
}

}  // namespace

Status prepare_for_quantization(Graph& graph) {
  HONE_RETURN_IF_ERROR(lower_to_onnx(graph));
  if (has_quantized_activations(graph)) {
    return bad_input("is quantized already, expected floats").needs({HintKind::Floats});
  }
  run_pass(graph, "expand_weights");
  HONE_RETURN_IF_ERROR(optimize(graph));
  batch_norms_to_convs(graph);  // Those that are left.
  for (const auto pass : {"make_gemm", "move_transposes", "merge_reshapes"}) run_pass(graph, pass);
  HONE_RETURN_IF_ERROR(optimize(graph));
  return Done{};
}

Result<Calibration> calibrate(const Graph& graph, const SampleSource& samples,
                              const ObserveOptions& options) {
  HONE_TRY(const PlanReader everything, PlanReader::make({}));
  const std::vector<QuantLayer> layers = find_layers(graph, everything);
  const std::vector<const Value*> points = calibration_points(graph, layers);
  HONE_TRY(const Observations seen, observe(graph, points, samples, options));
  Calibration calibration;
  for (const auto& [value, observation] : seen) calibration.seen[value->name] = observation;
  follow(layers, calibration);
  return calibration;
}

Result<Quantized> quantize_graph(const Graph& graph, const QuantizePlan& plan,
                                 const Calibration& calibration,
                                 const CalibrationOptions& options) {
  HONE_TRY(const PlanReader reader, PlanReader::make(plan));
  Quantized result{std::move(*graph.clone())};
  std::vector<QuantLayer> layers = find_layers(result.graph, reader);
  std::erase_if(layers, [&](const QuantLayer& layer) { return is_uneven(layer, calibration); });
  HONE_TRY(const Ranges ranges, ranges_of(layers, calibration, options));
  const auto weighted = std::ranges::count_if(
      result.graph.nodes(), [](const Node* node) { return may_have_weights(*node); });
  const auto quantized = std::ranges::count(layers, LayerKind::Weights, &QuantLayer::kind);
  for (const QuantLayer& layer : layers) {
    result.layers.push_back(
        {layer.node->name, layer.kind == LayerKind::Weights, layer.scheme.quantizes_activations()});
  }
  result.float_layers = static_cast<int>(weighted - quantized);
  insert_qdq(result.graph, layers, ranges);
  HONE_RETURN_IF_ERROR(verify(result.graph));
  return result;
}

Status quantize_static(Graph& graph, const std::vector<std::vector<Item>>& samples) {
  HONE_RETURN_IF_ERROR(prepare_for_quantization(graph));
  const SampleSource source{static_cast<int64_t>(samples.size()), [&](int64_t i) {
                              return Result<std::vector<Item>>(samples[static_cast<size_t>(i)]);
                            }};
  HONE_TRY(const Calibration calibration, calibrate(graph, source, {.progress = false}));
  HONE_TRY(Quantized quantized, quantize_graph(graph, {}, calibration, {}));
  graph = std::move(quantized.graph);
  return Done{};
}

}  // namespace hone
