// The share of samples for which the model and the one it is compared with have the same largest
// output: needs no labels.

#include <algorithm>

#include "hone/validate/metric_def.h"
#include "hone/validate/real_values.h"

namespace hone {
namespace {

// The largest of one number is always the same.
Status check_agreement(const DataSet&, const Graph& graph) {
  if (output_elements(graph, 0) != 1) return Done{};
  return bad_input(
             "metric agreement asks which of several outputs is largest, but the model gives one "
             "number per sample; metric fidelity tells how near it is")
      .needs({HintKind::Metric, "fidelity"});
}

size_t largest(const Tensor& output) {
  const std::vector<double> scores = real_values(output);
  return static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
}

Result<MetricDef::Value> evaluate_agreement(const Evaluation& in) {
  if (in.reference == nullptr) {
    return bad_input("metric agreement needs a model to agree with").needs({HintKind::Reference});
  }
  size_t same = 0;
  for (size_t s = 0; s < in.samples(); ++s) {
    const Tensor& output = in.predictions.samples[s][0];
    const Tensor& expected = in.reference->samples[s][0];
    HONE_RETURN_IF_ERROR(need_elements(output, expected.elements(), s));
    same += largest(output) == largest(expected) ? 1 : 0;
  }
  return MetricDef::Value{static_cast<double>(same) / static_cast<double>(in.samples())};
}

}  // namespace

extern const MetricDef metric_agreement = {
    .name = "agreement",
    .summary = "share of samples with the same largest output as the reference model; no labels",
    .check = check_agreement,
    .evaluate = evaluate_agreement,
};

}  // namespace hone
