#pragma once

#include "hone/base/result.h"
#include "hone/graph/graph.h"
#include "hone/quantize/recover/pair_noise.h"
#include "hone/quantize/sample_source.h"

namespace hone {

struct EqualizeOptions {
  // What the network is going to be quantized to.
  PairPrecision precision = {};
  // Layers with a relu6 between them are taken as if it were a relu, and it becomes one. Changes
  // what the network computes wherever a value passes the bound.
  bool relu6_to_relu = false;
  int max_iterations = 50;
  // A sweep over the pairs that moves no channel by more than this factor less 1 is the last.
  double tolerance = 1e-3;
};

struct EqualizeReport {
  int pairs = 0;
  int iterations = 0;
  int relu6_replaced = 0;
  // The largest weight of a layer's widest channel to that of its narrowest, in the worst layer of
  // the pairs. Channels whose weights are all but zero do not count.
  double worst_ratio_before = 1;
  double worst_ratio_after = 1;
};

// Cross-layer equalization (Nagel et al., "Data-Free Quantization Through Weight Equalization and
// Bias Correction", 2019). Between two layers that follow each other a channel may be made s times
// smaller and what reads it s times larger; s = sqrt(range before / range after) gives both sides
// the same range, so that one scale per tensor serves all channels. Pairs share layers, so sweeps
// repeat until nothing moves.
//
// Equal weights make unequal activations, which share one scale too. So where there are samples,
// each pair goes only that part of the way (none, a quarter, ... all) that is predicted to make the
// least noise (pair_noise.h); without, it goes all the way. MLPerf Tiny's visual wake words with
// int8 weights, one scale per tensor, on random pictures: 21 dB plain, 35 dB with samples. Weights
// with a scale per channel have little to gain.
//
// Pairs are conv or gemm, depthwise too, with nothing between but relu, leaky_relu, pools and
// flatten, which let positive factors through. Where values are bounded, as by relu6, a channel
// that reaches the bound on the samples keeps its scale, the others may grow up to the bound, so
// that results on the samples stay what they were. Without samples such pairs are left alone,
// unless relu6_to_relu. Runs the clean passes first.
Result<EqualizeReport> equalize(Graph& graph, const SampleSource* samples = nullptr,
                                const EqualizeOptions& options = {});

}  // namespace hone
