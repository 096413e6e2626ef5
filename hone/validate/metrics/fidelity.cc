// How near the outputs are to those of the reference model: 1 less the error relative to them. It
// needs neither labels nor classes, and says of numbers what agreement says of answers.

#include <cmath>

#include "hone/base/infinity.h"
#include "hone/validate/error_sums.h"
#include "hone/validate/metric_def.h"
#include "hone/validate/real_values.h"

namespace hone {
namespace {

Status check_fidelity(const DataSet&, const Graph&) {
  return Done{};
}

// The root mean square of the differences over that of the reference's values, over all samples. What
// is no number is nowhere near.
double error_part(const ErrorSums& sums) {
  if (std::isnan(sums.noise)) return kInfinity<double>;
  return sums.noise == 0 ? 0 : std::sqrt(sums.noise / sums.signal);
}

// Of the output that is off most: boxes do not hide scores.
Result<MetricDef::Value> evaluate_fidelity(const Evaluation& in) {
  if (in.reference == nullptr) {
    return bad_input("metric fidelity needs a model to be near to").needs({HintKind::Reference});
  }
  std::vector<ErrorSums> parts(in.graph.outputs().size());
  for (size_t s = 0; s < in.samples(); ++s) {
    for (size_t o = 0; o < parts.size(); ++o) {
      const Tensor& output = in.predictions.samples[s][o];
      const Tensor& expected = in.reference->samples[s][o];
      HONE_RETURN_IF_ERROR(need_elements(output, expected.elements(), s));
      parts[o].add(real_values(output), real_values(expected));
    }
  }
  double worst = 0;
  for (const ErrorSums& part : parts) worst = std::fmax(worst, error_part(part));
  return MetricDef::Value{1 - worst};
}

}  // namespace

extern const MetricDef metric_fidelity = {
    .name = "fidelity",
    .summary =
        "1 less the error of the outputs relative to the reference model's; no labels, no classes",
    .check = check_fidelity,
    .evaluate = evaluate_fidelity,
};

}  // namespace hone
