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
  return bad_input("metric ", metric,
                   data.of_pictures()
                       ? " needs a folder of pictures for every class, or labels.txt "
                         "beside the pictures"
                       : " needs labels.npy in the data folder");
}

Status need_elements(const Tensor& output, int64_t expected, size_t s) {
  if (output.elements() == expected) return Done{};
  return bad_input("sample ", s, " gives ", output.elements(), " values, expected ", expected);
}

namespace {

// As an autoencoder does.
bool gives_input_back(const DataSet& data, const Graph& graph) {
  const std::optional<int64_t> per_sample = output_elements(graph, 0);
  return per_sample && *per_sample > 2 && *per_sample == data.inputs[0].row_type().elements();
}

MetricChoice choose_for_labels(const DataSet& data, const Graph& graph) {
  const std::optional<int64_t> per_sample = output_elements(graph, 0);
  if (!per_sample) return {"top1", "the data has labels"};
  if (gives_input_back(data, graph))
    return {"auc", "the data has labels, and the output is of the shape of the input"};
  if (*per_sample == 1) return {"auc", "the data has labels, and the model gives one score"};
  return {"top1", str("the data has labels, and the model gives ", *per_sample, " scores")};
}

// Scores lie along one axis; boxes and images along several.
bool gives_scores(const Graph& graph) {
  const ValueType& type = graph.outputs()[0]->type;
  if (graph.outputs().size() != 1 || !output_elements(graph, 0)) return false;
  size_t wide = 0;
  for (size_t axis = 0; axis < type.tensor.shape.size(); ++axis) {
    const bool samples = axis == 0 && type.tensor.shape[axis] == kUnknown;
    if (!samples && type.tensor.shape[axis] != 1) ++wide;
  }
  return wide == 1;
}

MetricChoice choose_for_reference(const DataSet& data, const Graph& graph) {
  const std::string neither = "the data has neither labels nor targets, and ";
  if (gives_input_back(data, graph)) {
    return {"fidelity", neither + "the output is of the shape of the input"};
  }
  if (gives_scores(graph)) {
    return {"agreement",
            str(neither, "the model gives ", *output_elements(graph, 0),
                " values, taken for scores of classes; metric fidelity suits where they "
                "are none")};
  }
  if (graph.outputs().size() > 1) {
    return {"fidelity", str(neither, "the model gives ", graph.outputs().size(), " outputs")};
  }
  if (output_elements(graph, 0) == 1) {
    return {"fidelity", neither + "the model gives one number, which has no largest element"};
  }
  return {"fidelity", neither + "the model's output is no list of scores"};
}

}  // namespace

Result<MetricChoice> choose_metric(const std::string& metric, const DataSet& data,
                                   const Graph& graph, bool has_reference) {
  if (graph.outputs().empty()) return bad_input("the model has no output");
  if (!metric.empty()) {
    HONE_RETURN_IF_ERROR(find_metric_def(metric));
    return MetricChoice{metric, ""};
  }
  if (data.labels) return choose_for_labels(data, graph);
  if (data.targets) return MetricChoice{"mse", "the data has targets"};
  if (has_reference) return choose_for_reference(data, graph);
  return MetricChoice{"mse",
                      "the data has neither labels nor targets, so the model's input is taken for "
                      "what it should give"};
}

Status check_metric(const std::string& metric, const DataSet& data, const Graph& graph) {
  HONE_TRY(const MetricChoice choice, choose_metric(metric, data, graph));
  HONE_TRY(const MetricDef* def, find_metric_def(choice.name));
  return def->check(data, graph);
}

Result<Metric> evaluate(const std::string& metric, const Predictions& predictions,
                        const DataSet& data, const Graph& graph, const Predictions* reference) {
  HONE_TRY(const MetricChoice choice, choose_metric(metric, data, graph));
  HONE_TRY(const MetricDef* def, find_metric_def(choice.name));
  HONE_RETURN_IF_ERROR(def->check(data, graph));
  HONE_TRY(const MetricDef::Value value, def->evaluate({predictions, data, graph, reference}));
  return Metric{.name = choice.name,
                .value = value.value,
                .unit = std::string(def->unit),
                .mode = Mode::Measured,
                .n = data.samples,
                .note = value.note};
}

}  // namespace hone
