// Runs a labelled data set through a program and sums it up in one number.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/base/metric.h"
#include "hone/base/result.h"
#include "hone/targets/target.h"
#include "hone/validate/data_set.h"

namespace hone {

// The outputs of every sample, stacked: element i of `outputs` is [N, ...] for graph output i.
struct Predictions {
  std::vector<Tensor> outputs;
};

// Runs the samples one by one on `threads` threads (0: all).
Result<Predictions> predict(const Program& program, const Graph& graph, const DataSet& data,
                            int threads);

// "top1": share of samples whose largest output is the label. "top5" likewise.
// "auc": area under the ROC curve; the label is 0 or 1, the score the output (the last of two; or,
//        when output and input have the same size, the mean squared reconstruction error).
// "mse": mean squared error against targets.npy, or against the input when there are none.
// Empty: top1 when there are labels and more than one output element, auc with labels otherwise,
// mse without.
Result<Metric> evaluate(const std::string& metric, const Predictions& predictions,
                        const DataSet& data, const Graph& graph);

// The metrics evaluate knows.
const std::vector<std::string>& metric_names();

}  // namespace hone
