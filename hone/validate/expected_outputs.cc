#include "hone/validate/expected_outputs.h"

#include <algorithm>

#include "hone/base/infinity.h"
#include "hone/tensor/compare.h"

namespace hone {

Result<ExpectedOutputs> compare_outputs(const Tensor& outputs, const Tensor& expected,
                                        double rtol) {
  if (outputs.dtype() != expected.dtype() || outputs.elements() != expected.elements()) {
    return bad_input("holds ", expected.type(), ", but the model gives ", outputs.type());
  }
  const Difference difference = compare(outputs.reshaped(expected.shape()), expected);
  ExpectedOutputs result;
  result.samples = expected.shape().empty() ? 1 : expected.shape()[0];
  if (difference.max_abs > 0) {
    result.max_error = difference.max_magnitude > 0 ? difference.max_abs / difference.max_magnitude
                                                    : kInfinity<double>;
  }
  const std::vector<double> a = to_doubles(outputs), e = to_doubles(expected);
  const size_t per_sample = a.size() / static_cast<size_t>(std::max<int64_t>(result.samples, 1));
  for (size_t s = 0; s < static_cast<size_t>(result.samples); ++s) {
    const auto begin = static_cast<std::ptrdiff_t>(s * per_sample);
    const auto end = begin + static_cast<std::ptrdiff_t>(per_sample);
    result.equal += std::equal(a.begin() + begin, a.begin() + end, e.begin() + begin) ? 1 : 0;
  }
  result.within =
      difference.equal() || (kFloat.contains(outputs.dtype()) && result.max_error <= rtol);
  return result;
}

}  // namespace hone
