#include "hone/quantize/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/base/progress.h"
#include "hone/targets/target.h"

namespace hone {
namespace {

using Outputs = std::vector<std::vector<Item>>;  // By sample.

Result<Outputs> run_all(const Graph& graph, const SampleSource& samples) {
  HONE_TRY(const TargetDef* cpu, find_target("cpu"));
  HONE_TRY(const std::unique_ptr<Program> program,
           cpu->open()->compile(std::move(*graph.clone()), {}));
  const std::unique_ptr<Session> session = program->open();
  Outputs outputs(static_cast<size_t>(samples.count));
  for (int64_t i = 0; i < samples.count; ++i) {
    HONE_TRY(const std::vector<Item> inputs, samples.sample(i));
    HONE_RETURN_IF_ERROR(session->run(inputs, outputs[static_cast<size_t>(i)]));
  }
  return outputs;
}

QuantizePlan only(const QuantizePlan& plan, const std::string& layer, const Scheme& scheme) {
  QuantizePlan alone = plan;
  alone.rules = {{".*", std::nullopt}, {exactly(layer), scheme}};
  return alone;
}

}  // namespace

void NoiseMeter::add(const std::vector<Item>& expected, const std::vector<Item>& actual) {
  for (size_t o = 0; o < expected.size(); ++o) {
    if (!expected[o].is_tensor() || !kFloat.contains(expected[o].tensor.dtype())) continue;
    const std::vector<double> e = to_doubles(expected[o].tensor);
    const std::vector<double> a = to_doubles(actual[o].tensor);
    for (size_t i = 0; i < e.size() && i < a.size(); ++i) {
      signal_ += e[i] * e[i];
      noise_ += (a[i] - e[i]) * (a[i] - e[i]);
    }
  }
}

double NoiseMeter::sqnr_db() const {
  if (noise_ == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal_ / noise_);
}

double LayerSensitivity::noise() const {
  return std::isinf(sqnr_db) ? 0 : std::pow(10, -sqnr_db / 10);
}

Result<std::vector<LayerSensitivity>> layer_sensitivity(const Graph& graph,
                                                        const QuantizePlan& plan,
                                                        const Calibration& calibration,
                                                        const CalibrationOptions& options,
                                                        const SampleSource& samples) {
  HONE_TRY(const PlanReader reader, PlanReader::make(plan));
  HONE_TRY(const Outputs expected, run_all(graph, samples));
  const std::vector<QuantLayer> layers = find_layers(graph, reader);
  std::vector<LayerSensitivity> found;
  Progress bar("sensitivity", layers.size());
  for (const QuantLayer& layer : layers) {
    bar.step();
    if (layer.kind == LayerKind::Keep || layer.node->name.empty()) continue;
    HONE_TRY(
        const Quantized alone,
        quantize_graph(graph, only(plan, layer.node->name, layer.scheme), calibration, options));
    HONE_TRY(const Outputs actual, run_all(alone.graph, samples));
    NoiseMeter meter;
    for (size_t i = 0; i < expected.size(); ++i) meter.add(expected[i], actual[i]);
    found.push_back({layer.node->name, layer.node->op, meter.sqnr_db()});
  }
  std::ranges::stable_sort(found, {}, &LayerSensitivity::sqnr_db);
  return found;
}

}  // namespace hone
