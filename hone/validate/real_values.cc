#include "hone/validate/real_values.h"

namespace hone {

std::vector<double> real_values(const Tensor& tensor) {
  std::vector<double> values = to_doubles(tensor);
  const auto& quant = tensor.type().quant;
  if (!quant) return values;
  // Elements that lie side by side along the axes behind the quantized one share its parameters.
  size_t inner = 1;
  size_t channels = 1;
  if (!quant->per_tensor()) {
    const auto axis = static_cast<size_t>(quant->axis);
    channels = static_cast<size_t>(tensor.shape()[axis]);
    inner = static_cast<size_t>(elements(std::span(tensor.shape()).subspan(axis + 1)));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t channel = i / inner % channels;
    values[i] = (values[i] - quant->zero_point(channel)) * quant->scale(channel);
  }
  return values;
}

}  // namespace hone
