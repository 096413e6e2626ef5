// How far the layers of a network are from those of another that is taken for right, the float
// original of a quantized model say: with the errors of earlier layers in their inputs, and alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/ops/context.h"
#include "hone/validate/data_set.h"
#include "hone/validate/error_sums.h"

namespace hone {

struct LayerError {
  std::string name;  // Of the source layer, or of the node.
  std::string op = {};
  // Both networks run from the same samples.
  ErrorSums propagated = {};
  // The layer is given the reference's values, in its own types, as inputs.
  ErrorSums local = {};
  // Step between two values that the layer's output can have; nothing for floats.
  std::optional<double> step = {};
  // The lowest propagated SQNR among the matched layers in front of it.
  std::optional<double> input_sqnr_db = {};
};

struct LayerErrors {
  std::vector<LayerError> layers;  // In running order.
  int64_t samples = 0;
  // Nodes of the candidate that have no counterpart, conversions not counted.
  size_t unmatched = 0;
};

struct LayerErrorOptions {
  int64_t samples = 8;  // Spread evenly over the set.
  EvalOptions eval = {};
  int threads = 0;
};

// Every sample runs the reference once and the candidate twice with the operators' references; what
// is held is one sample's values of the reference per thread. BadInput when no value of one network
// is found in the other.
Result<LayerErrors> layer_errors(const Graph& candidate, const Graph& reference,
                                 const DataSet& data, const LayerErrorOptions& options);

struct BreakLimits {
  double least_db = 20;      // Local SQNR under this breaks a layer,
  double most_fall_db = 10;  // and so does a propagated one so far below its inputs'.
};

// The first layer that breaks, and what is to be said of it.
struct LayerBreak {
  int first = -1;  // None.
  std::string sentence = {};
};
LayerBreak find_break(const LayerErrors& errors, const BreakLimits& limits);

// The first layer that breaks, or -1.
int first_broken(const LayerErrors& errors, const BreakLimits& limits);
// Says so in one sentence: which layer, how far, and against what limit.
std::string break_sentence(const LayerErrors& errors, const BreakLimits& limits);

}  // namespace hone
