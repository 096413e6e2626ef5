// The mean squared error against targets.npy, or against the input when there are none.

#include "hone/validate/metrics/wanted.h"

namespace hone {
namespace {

Result<MetricDef::Value> evaluate_mse(const Evaluation& in) {
  double sum = 0;
  for (size_t s = 0; s < in.samples(); ++s) {
    HONE_TRY(const std::vector<double> wanted, wanted_values(in, s));
    HONE_TRY(const double error, squared_error(in, s, wanted));
    sum += error;
  }
  return MetricDef::Value{sum / static_cast<double>(in.samples())};
}

}  // namespace

extern const MetricDef metric_mse = {
    .name = "mse",
    .summary = "mean squared error against targets.npy, or against the input without it",
    .more_is_better = false,
    .check = check_wanted,
    .evaluate = evaluate_mse,
};

}  // namespace hone
