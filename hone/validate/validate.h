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

// What the graph's outputs are for every sample: samples[s][o].
struct Predictions {
  std::vector<std::vector<Tensor>> samples;
};

// Runs the samples one by one on `threads` threads (0: all). `graph` is the one the program was
// compiled from.
Result<Predictions> predict(const Program& program, const Graph& graph, const DataSet& data,
                            int threads);

// One output of every sample, [N, ...]; an output's leading extent of 1 is the sample axis.
// Unsupported when the samples' shapes differ.
Result<Tensor> stacked(const Predictions& predictions, size_t output);

// The metrics evaluate knows, in the order of metrics.inc.
const std::vector<std::string>& metric_names();

struct MetricChoice {
  std::string name;
  std::string why;  // A sentence; empty where the name was given.
};
// The name itself when there is such a metric; for "" the one that suits the data. With labels it
// is top1 where outputs are scores of classes, else auc; mse with targets. With neither, a
// reference model's answers: agreement where outputs are scores of classes, else fidelity; and
// without a reference mse against the input.
Result<MetricChoice> choose_metric(const std::string& metric, const DataSet& data,
                                   const Graph& graph, bool has_reference = false);

// What a metric needs of the data set and the model's outputs, said before anything is run.
Status check_metric(const std::string& metric, const DataSet& data, const Graph& graph);

// `metric` is a name of `metric_names`, or empty as for choose_metric. `reference` are the
// predictions of the model that is taken for right, which the metric `agreement` needs.
Result<Metric> evaluate(const std::string& metric, const Predictions& predictions,
                        const DataSet& data, const Graph& graph,
                        const Predictions* reference = nullptr);

}  // namespace hone
