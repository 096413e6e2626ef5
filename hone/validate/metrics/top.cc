// The share of samples whose label is among the k largest outputs.

#include <algorithm>
#include <cmath>

#include "hone/validate/metric_def.h"
#include "hone/validate/real_values.h"

namespace hone {
namespace {

Status check_label(const DataSet& data, int64_t label, size_t sample, int64_t classes) {
  if (label < classes) return Done{};
  return bad_input(data.labels_from, ": label ", label, " of sample ", sample, " is outside the ",
                   classes, " outputs of the model");
}

Status check_top(const DataSet& data, const Graph& graph) {
  HONE_RETURN_IF_ERROR(need_labels(data, "top1 or top5"));
  const std::optional<int64_t> classes = output_elements(graph, 0);
  if (!classes) return Done{};
  const std::vector<int64_t>& labels = *data.labels;
  const auto largest = std::ranges::max_element(labels);
  return check_label(data, *largest, static_cast<size_t>(largest - labels.begin()), *classes);
}

// How many classes come before the label: larger ones, equal ones of a smaller number, and all when
// there is a score that is no number: none of them tells which is the largest.
size_t rank_of(size_t label, const std::vector<double>& scores) {
  if (std::ranges::any_of(scores, [](double score) { return std::isnan(score); })) {
    return scores.size();
  }
  size_t before = 0;
  for (size_t c = 0; c < scores.size(); ++c) {
    before += scores[c] > scores[label] || (scores[c] == scores[label] && c < label) ? 1 : 0;
  }
  return before;
}

template <size_t k>
Result<MetricDef::Value> evaluate_top(const Evaluation& in) {
  size_t hits = 0;
  for (size_t s = 0; s < in.samples(); ++s) {
    const std::vector<double> scores = real_values(in.predictions.samples[s][0]);
    const int64_t label = (*in.data.labels)[s];
    HONE_RETURN_IF_ERROR(check_label(in.data, label, s, static_cast<int64_t>(scores.size())));
    const size_t rank = rank_of(static_cast<size_t>(label), scores);
    hits += rank < std::min(k, scores.size()) ? 1 : 0;
  }
  return MetricDef::Value{static_cast<double>(hits) / static_cast<double>(in.samples())};
}

}  // namespace

extern const MetricDef metric_top1 = {
    .name = "top1",
    .summary = "share of samples whose largest output is the label",
    .check = check_top,
    .evaluate = evaluate_top<1>,
};

extern const MetricDef metric_top5 = {
    .name = "top5",
    .summary = "share of samples whose label is among the five largest outputs",
    .check = check_top,
    .evaluate = evaluate_top<5>,
};

}  // namespace hone
