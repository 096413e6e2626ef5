#pragma once

#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/graph/graph.h"
#include "hone/quantize/sample_source.h"

namespace hone {

struct SmoothQuantOptions {
  // How much of the difficulty goes from activations to weights: 0 none, 1 all.
  double alpha = 0.5;
  // Where something besides products reads the activations, the sum around a block for one, it
  // reads them through a new mul that undoes the factors. Without, such places are left alone.
  bool undo_for_others = false;
};

struct SmoothedPlace {
  std::string name;  // Of the norm or mul that took the factors.
  int products = 0;
  // The largest activation of the widest channel to that of the median one.
  double outliers_before = 1;
  double outliers_after = 1;
};

struct SmoothQuantReport {
  std::vector<SmoothedPlace> places;
  int muls_added = 0;
  int left_alone = 0;  // Norms before products that others read too.
};

// SmoothQuant (Xiao et al., 2022). A few channels of transformers' activations are some hundred
// times larger than the rest, and one scale for all leaves nothing for the others. Channel j
// becomes s_j times smaller and the weights that read it s_j times larger, with
//   s_j = max|x_j|^alpha / max|w_j|^(1 - alpha),
// the maximum of x over the samples. The factors go into the scale and bias of the layer_norm or
// rms_norm, or into the constant of the mul, that makes x, so that nothing is added to the network.
// Runs the clean passes first. BadInput without samples or for alpha outside 0 .. 1.
Result<SmoothQuantReport> smooth_quant(Graph& graph, const SampleSource& samples,
                                       const SmoothQuantOptions& options = {});

}  // namespace hone
