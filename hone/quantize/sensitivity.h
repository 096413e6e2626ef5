// What each layer costs in accuracy when it alone is quantized.
#pragma once

#include <string>
#include <vector>

#include "hone/quantize/quantize.h"

namespace hone {

struct LayerSensitivity {
  std::string layer;
  std::string op;
  double sqnr_db = 0;  // Of the network's outputs against the float network's; infinite if equal.
  // Noise to signal: adds up over layers, roughly.
  double noise() const;
};

// Every layer of `plan` alone on the prepared graph, most harmful first. The samples run one by one
// on target cpu, `samples.count` for each layer; the memory is that of one run and the float
// network's outputs.
Result<std::vector<LayerSensitivity>> layer_sensitivity(const Graph& graph,
                                                        const QuantizePlan& plan,
                                                        const Calibration& calibration,
                                                        const CalibrationOptions& options,
                                                        const SampleSource& samples);

// Signal to quantization noise of several outputs, summed over samples.
class NoiseMeter {
 public:
  void add(const std::vector<Item>& expected, const std::vector<Item>& actual);
  double sqnr_db() const;

 private:
  double signal_ = 0;
  double noise_ = 0;
};

}  // namespace hone
