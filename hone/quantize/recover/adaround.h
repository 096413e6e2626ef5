#pragma once

#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/graph/graph.h"
#include "hone/quantize/recover/layer.h"
#include "hone/quantize/sample_source.h"

namespace hone {

struct AdaroundOptions {
  // Rows of a layer's products to learn from, over all samples: pixels of a convolution's result,
  // rows of a matrix. Fewer than the layer has inputs say little; the ridge makes up for it.
  int64_t rows = 4096;
  // Layers that follow each other and are rounded in one pass over the samples. With 1 each is
  // rounded for the inputs it will have. More is faster and less exact: see below.
  int levels_per_pass = 1;
  // What the sums of a pass may hold, about 8 * inputs * (inputs + outputs) bytes for a layer. One
  // that alone needs more is skipped.
  uint64_t memory_bytes = uint64_t{256} << 20;
  // Of the mean square of the inputs, see round_weights.h.
  double ridge = 0.05;
  int max_sweeps = 20;
};

struct RoundedLayer {
  std::string name;
  // Of the layer's result, as a share of the result's own mean square, means taken out; over the
  // rows that were learned from.
  double error_before = 0;
  double error_after = 0;
  int64_t weights = 0;
  int64_t flips = 0;  // Weights that are now rounded the other way.
};

struct AdaroundReport {
  std::vector<RoundedLayer> layers;
  std::vector<SkippedLayer> skipped;
  int passes = 0;  // Over the samples.
};

// Rounds each weight up or down so that the layer's result comes nearest to the float layer's, in
// place of each weight for itself: the objective of AdaRound (Nagel et al., "Up or Down? Adaptive
// Rounding for Post-Training Quantization", 2020),
//   sum over rows of (x_q w_q - x w)^2,
// which depends on the data only through sums of products of inputs (gram.h) and is made smaller
// weight by weight (round_weights.h). Scales stay as they are. Means are left to the bias, which is
// shifted to fit.
//
// Layers are taken in order, x_q coming from the network with those before rounded. A layer that
// follows another one of its pass cannot see how that will be rounded: it compares x_q w_q with
// x_q w, which leaves errors of its inputs alone; correct_bias makes good for their means
// afterwards.
//
// MLPerf Tiny's keyword spotting with 4-bit weights, 100 samples, judged on 900 others: 85.3 %
// right with nearest rounding, 87.4 % with correct_bias, 89.7 % with this, as in float. With 8 bits
// little is left to gain.
//
// `quantized` is in Q/DQ form and was made from `original` (layer.h). BadInput without samples.
Result<AdaroundReport> adaround(Graph& quantized, const Graph& original,
                                const SampleSource& samples, const AdaroundOptions& options = {});

}  // namespace hone
