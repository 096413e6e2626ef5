#include "hone/workbench/quantize_for_device.h"

#include <algorithm>

#include "hone/quantize/fit_target.h"
#include "hone/quantize/quantize.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

// They give ranges for timing alone, which takes as long with any.
constexpr int64_t kRandomSamples = 1;
constexpr int64_t kMostSamples = 100;

bool is_float_product(const Node& node) {
  return node_cost(node).macs > 0 && kFloat.contains(node.outputs[0]->type.tensor.dtype);
}

}  // namespace

bool wants_integers(const TargetDef& target, const Program& program) {
  if (target.integers == nullptr) return false;
  return std::ranges::any_of(program.placements(), [](const Placement& placement) {
    return !placement.on_target && is_float_product(*placement.node);
  });
}

Result<Model> quantize_for_device(const Model& model, const TargetDef& target,
                                  const DataSet* data) {
  QuantizePlan plan;
  fit_to_target(plan, target);
  Graph floats = std::move(*model.graph.clone());
  HONE_RETURN_IF_ERROR(prepare_for_quantization(floats));
  SampleSource samples{.count = kRandomSamples, .sample = [&](int64_t i) {
                         return make_inputs(floats, {}, static_cast<uint64_t>(i));
                       }};
  if (data != nullptr) {
    // Spread over the set, which may be sorted by class.
    samples.count = std::min(kMostSamples, data->samples);
    samples.sample = [&](int64_t i) {
      return data->sample(i * data->samples / samples.count, floats);
    };
  }
  HONE_TRY(const Calibration seen, calibrate(floats, samples, {.progress = false}));
  HONE_TRY(Quantized quantized, quantize_graph(floats, plan, seen, {}));
  Model result{.name = model.name + ", quantized to int8",
               .format = model.format,
               .producer = "hone",
               .version = model.version,
               .graph = std::move(quantized.graph),
               .unsupported = {}};
  HONE_RETURN_IF_ERROR(infer_types(result.graph));
  return result;
}

}  // namespace hone
