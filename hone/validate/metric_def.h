// A metric: one file in metrics/ and one line in metrics.inc.
#pragma once

#include <string_view>

#include "hone/validate/validate.h"

namespace hone {

struct Evaluation {
  const Predictions& predictions;
  const DataSet& data;
  const Graph& graph;
  const Predictions* reference = nullptr;

  size_t samples() const { return predictions.samples.size(); }
};

struct MetricDef {
  std::string_view name;
  std::string_view summary;
  bool more_is_better = true;
  std::string_view unit = "";
  // What it needs of labels, targets and the graph's outputs.
  Status (*check)(const DataSet& data, const Graph& graph);
  // The value, and a note where there is more to say. check has passed.
  struct Value {
    double value;
    std::string note = {};
  };
  Result<Value> (*evaluate)(const Evaluation& in);
};

// In the order of metrics.inc.
const std::vector<const MetricDef*>& all_metrics();

// BadInput when there is no such metric; the message lists those there are.
Result<const MetricDef*> find_metric_def(const std::string& name);

// Elements of an output for one sample; nothing when only a run can tell.
std::optional<int64_t> output_elements(const Graph& graph, size_t output);

// BadInput unless there are labels.
Status need_labels(const DataSet& data, std::string_view metric);

// BadInput unless sample `s` gave `expected` elements.
Status need_elements(const Tensor& output, int64_t expected, size_t s);

}  // namespace hone
