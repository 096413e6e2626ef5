// The area under the ROC curve: the share of (positive, negative) pairs of samples in which the
// positive one, whose label is not 0, scores higher; ties count half. The score is the model's only
// output, the last of two, or the reconstruction error where output and input have the same size.
// Where the data has groups, pairs of groups are counted, and a group scores the mean of its
// samples.

#include <algorithm>
#include <cmath>
#include <map>

#include "hone/validate/metrics/wanted.h"
#include "hone/validate/real_values.h"

namespace hone {
namespace {

bool reconstructs(int64_t elements, const DataSet& data) {
  return elements > 2 && elements == data.inputs[0].row_type().elements();
}

Status check_elements(int64_t elements, const DataSet& data) {
  if (elements == 1 || elements == 2 || reconstructs(elements, data)) return Done{};
  return bad_input(
      "metric auc needs one score per sample, two classes, or a reconstruction; the model gives ",
      elements, " values");
}

Status check_auc(const DataSet& data, const Graph& graph) {
  HONE_RETURN_IF_ERROR(need_labels(data, "auc"));
  const auto positives = std::ranges::count_if(*data.labels, [](int64_t label) { return label; });
  if (positives == 0 || positives == data.samples) {
    return bad_input("metric auc needs samples of label 0 and of label 1, but ", data.labels_from,
                     " has only ", positives == 0 ? "0" : "others than 0");
  }
  const std::optional<int64_t> elements = output_elements(graph, 0);
  return elements ? check_elements(*elements, data) : Status(Done{});
}

Result<double> score_of(const Evaluation& in, size_t s) {
  const Tensor& output = in.predictions.samples[s][0];
  HONE_RETURN_IF_ERROR(check_elements(output.elements(), in.data));
  if (!reconstructs(output.elements(), in.data)) return real_values(output).back();
  HONE_TRY(const std::vector<double> wanted,
           row_values(in.data.inputs[0], s, *in.graph.inputs()[0]));
  return squared_error(in, s, wanted);
}

// What is judged: a sample, or all samples of a group with the mean of their scores.
struct Scored {
  double score = 0;
  bool positive = false;
  double samples = 0;
};

Result<std::vector<Scored>> scores_of(const Evaluation& in) {
  const auto& groups = in.data.groups;
  std::map<int64_t, Scored> scored;
  for (size_t s = 0; s < in.samples(); ++s) {
    HONE_TRY(const double score, score_of(in, s));
    if (std::isnan(score)) return bad_input("sample ", s, " gives no number to sort by");
    Scored& one = scored[groups ? (*groups)[s] : static_cast<int64_t>(s)];
    one.positive = (*in.data.labels)[s] != 0;
    one.score += score;
    one.samples += 1;
  }
  std::vector<Scored> list;
  for (const auto& [group, one] : scored) {
    list.push_back({one.score / one.samples, one.positive, one.samples});
  }
  return list;
}

Result<MetricDef::Value> evaluate_auc(const Evaluation& in) {
  HONE_TRY(std::vector<Scored> scored, scores_of(in));
  std::ranges::sort(scored, {}, &Scored::score);
  double pairs_won = 0, positives = 0, negatives = 0;
  for (size_t begin = 0; begin < scored.size();) {
    size_t end = begin;
    double tied_positives = 0, tied_negatives = 0;
    for (; end < scored.size() && scored[end].score == scored[begin].score; ++end) {
      (scored[end].positive ? tied_positives : tied_negatives) += 1;
    }
    pairs_won += tied_positives * (negatives + tied_negatives / 2);
    positives += tied_positives;
    negatives += tied_negatives;
    begin = end;
  }
  MetricDef::Value value{pairs_won / (positives * negatives)};
  if (in.data.groups) value.note = str("of ", scored.size(), " groups by their mean score");
  return value;
}

}  // namespace

extern const MetricDef metric_auc = {
    .name = "auc",
    .summary =
        "area under the ROC curve of labels 0 and 1; the score is the output, the last of "
        "two, or the reconstruction error of an autoencoder",
    .check = check_auc,
    .evaluate = evaluate_auc,
};

}  // namespace hone
