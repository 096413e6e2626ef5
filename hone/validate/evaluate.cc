#include "hone/base/text.h"
#include "hone/validate/metric_def.h"

namespace hone {

#define HONE_METRIC(name) extern const MetricDef metric_##name;
#include "hone/validate/metrics.inc"
#undef HONE_METRIC

const std::vector<const MetricDef*>& all_metrics() {
  static const std::vector<const MetricDef*> kMetrics = {
#define HONE_METRIC(name) &metric_##name,
#include "hone/validate/metrics.inc"
#undef HONE_METRIC
  };
  return kMetrics;
}

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const MetricDef* metric : all_metrics()) names.emplace_back(metric->name);
    return names;
  }();
  return kNames;
}

Result<const MetricDef*> find_metric_def(const std::string& name) {
  for (const MetricDef* metric : all_metrics()) {
    if (metric->name == name) return metric;
  }
  return bad_input("no metric '", name, "'", did_you_mean(name, metric_names()),
                   "; there are: ", join(metric_names()));
}

std::optional<int64_t> output_elements(const Graph& graph, size_t output) {
  const ValueType& type = graph.outputs()[output]->type;
  if (!type.is_tensor() || !type.tensor.ranked) return std::nullopt;
  TensorType one = type.tensor;
  if (!one.shape.empty() && one.shape[0] == kUnknown) one.shape[0] = 1;
  if (!one.known()) return std::nullopt;
  return one.elements();
}

Status need_labels(const DataSet& data, std::string_view metric) {
  if (data.labels) return Done{};
  return bad_input("metric ", metric, " needs labels.npy in the data folder");
}

Status need_elements(const Tensor& output, int64_t expected, size_t s) {
  if (output.elements() == expected) return Done{};
  return bad_input("sample ", s, " gives ", output.elements(), " values, expected ", expected);
}

Result<std::string> choose_metric(const std::string& metric, const DataSet& data,
                                  const Graph& graph) {
  if (graph.outputs().empty()) return bad_input("the model has no output");
  if (!metric.empty()) {
    HONE_RETURN_IF_ERROR(find_metric_def(metric));
    return metric;
  }
  if (!data.labels) return std::string("mse");
  const std::optional<int64_t> per_sample = output_elements(graph, 0);
  if (!per_sample) return std::string("top1");
  const bool reconstructs = *per_sample > 2 && *per_sample == data.inputs[0].row_type().elements();
  return std::string(*per_sample > 1 && !reconstructs ? "top1" : "auc");
}

Status check_metric(const std::string& metric, const DataSet& data, const Graph& graph) {
  HONE_TRY(const std::string name, choose_metric(metric, data, graph));
  HONE_TRY(const MetricDef* def, find_metric_def(name));
  return def->check(data, graph);
}

Result<Metric> evaluate(const std::string& metric, const Predictions& predictions,
                        const DataSet& data, const Graph& graph, const Predictions* reference) {
  HONE_TRY(const std::string name, choose_metric(metric, data, graph));
  HONE_TRY(const MetricDef* def, find_metric_def(name));
  HONE_RETURN_IF_ERROR(def->check(data, graph));
  HONE_TRY(const MetricDef::Value value, def->evaluate({predictions, data, graph, reference}));
  return Metric{.name = name,
                .value = value.value,
                .unit = std::string(def->unit),
                .mode = Mode::Measured,
                .n = data.samples,
                .note = value.note};
}

}  // namespace hone
