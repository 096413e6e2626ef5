// From a float network to one with integers in it: ranges, then Q/DQ pairs.
#pragma once

#include "hone/quantize/calibrate/observe.h"
#include "hone/quantize/calibrate/range_method.h"
#include "hone/quantize/layers.h"

namespace hone {

// How ranges are chosen from what calibration saw.
struct CalibrationOptions {
  RangeMethod method = RangeMethod::MinMax;
  double percentile = 99.99;  // For RangeMethod::Percentile.
};

// Brings a float network into the form that is quantized: what ONNX has words for, batch norms in
// the weights, products with constant matrices as gemm, integer weights as floats. The answers stay
// the same. BadInput when activations are quantized already.
Status prepare_for_quantization(Graph& graph);

// What calibration saw of a prepared graph; good for every plan, method and scheme tried after it.
struct Calibration {
  std::unordered_map<std::string, Observation> seen;  // By the name of the value.
};
Result<Calibration> calibrate(const Graph& graph, const SampleSource& samples,
                              const ObserveOptions& options);

struct QuantizedLayer {
  std::string name;
  bool has_weights = false;
  bool integer_activations = false;  // Otherwise only the weights are stored as integers.
};

struct Quantized {
  Graph graph;
  std::vector<QuantizedLayer> layers = {};  // With integers in them,
  int float_layers = 0;  // and those of operators with weights that stayed float.
};

// A quantized copy of a prepared graph. A concat of values of very different sizes stays float; the
// calibration may be of another with the same names.
Result<Quantized> quantize_graph(const Graph& graph, const QuantizePlan& plan,
                                 const Calibration& calibration, const CalibrationOptions& options);

// All at once with int8, for speed measurements: prepared, calibrated on the samples.
Status quantize_static(Graph& graph, const std::vector<std::vector<Item>>& samples);

}  // namespace hone
