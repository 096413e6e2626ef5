// Peak signal to noise ratio against targets.npy, averaged over the samples as is usual for images:
// 10 log10(peak^2 / mse). The peak is 255 for 8-bit targets, 1 when all targets lie in 0 .. 1, and
// else how far they spread over the set.

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/validate/metrics/wanted.h"

namespace hone {
namespace {

Status check_psnr(const DataSet& data, const Graph& graph) {
  if (!data.targets) return bad_input("metric psnr needs targets.npy in the data folder");
  return check_wanted(data, graph);
}

Result<double> peak_of(const Evaluation& in) {
  const DType stored = in.data.targets->type().dtype;
  if (stored == DType::U8 && !in.graph.outputs()[0]->type.tensor.quantized()) return 255.0;
  double low = 0, high = 1;
  for (size_t s = 0; s < in.samples(); ++s) {
    HONE_TRY(const std::vector<double> wanted, wanted_values(in, s));
    const auto [least, most] = std::ranges::minmax(wanted);
    low = std::min(low, least);
    high = std::max(high, most);
  }
  return high - low;
}

Result<MetricDef::Value> evaluate_psnr(const Evaluation& in) {
  HONE_TRY(const double peak, peak_of(in));
  double sum = 0;
  size_t equal = 0;
  for (size_t s = 0; s < in.samples(); ++s) {
    HONE_TRY(const std::vector<double> wanted, wanted_values(in, s));
    HONE_TRY(const double error, squared_error(in, s, wanted));
    if (std::isnan(error)) {
      return MetricDef::Value{-std::numeric_limits<double>::infinity(),
                              str("sample ", s, " is no number")};
    }
    if (error > 0) {
      sum += 10 * std::log10(peak * peak / error);
    } else {
      ++equal;
    }
  }
  const std::string note = str("peak ", peak);
  if (equal == in.samples()) {
    return MetricDef::Value{std::numeric_limits<double>::infinity(), note + ", no error at all"};
  }
  // A sample without error has no finite ratio and is left out of the mean.
  return MetricDef::Value{
      sum / static_cast<double>(in.samples() - equal),
      equal == 0 ? note : str(note, ", without ", equal, " samples that are equal")};
}

}  // namespace

extern const MetricDef metric_psnr = {
    .name = "psnr",
    .summary = "peak signal to noise ratio in dB against targets.npy, mean over the samples",
    .unit = "dB",
    .check = check_psnr,
    .evaluate = evaluate_psnr,
};

}  // namespace hone
