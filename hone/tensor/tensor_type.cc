#include "hone/tensor/tensor_type.h"

#include <algorithm>

namespace hone {

int64_t elements(std::span<const int64_t> shape) {
  int64_t product = 1;
  for (const int64_t extent : shape) product *= extent;
  return product;
}

std::string text_of(std::span<const int64_t> shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const int64_t extent : shape) {
    if (!text.empty()) text += 'x';
    text += extent == kUnknown ? "?" : std::to_string(extent);
  }
  return text;
}

bool TensorType::known() const {
  return dtype != DType::Undefined && ranked &&
         std::ranges::none_of(shape, [](int64_t extent) { return extent < 0; });
}

Status TensorType::check() const {
  int64_t product = 1;
  for (const int64_t extent : shape) {
    if (extent == kUnknown) continue;
    if (extent < 0) return bad_input("extent ", extent, " is negative");
    if (__builtin_mul_overflow(product, std::max<int64_t>(extent, 1), &product) ||
        static_cast<uint64_t>(product) > kLargestTensorBytes) {
      return bad_input(text_of(*this), " claims more than the ", kLargestTensorBytes >> 30,
                       " GiB a tensor may have");
    }
  }
  // A string takes its object at least, though not in the tensor's own buffer.
  const uint64_t each = dtype == DType::String ? sizeof(std::string) : 0;
  const auto count = static_cast<uint64_t>(product);
  if (std::max(bytes_of(dtype, count), each * count) > kLargestTensorBytes) {
    return bad_input(text_of(*this), " claims more than the ", kLargestTensorBytes >> 30,
                     " GiB a tensor may have");
  }
  if (!quant) return Done{};
  if (quant->scales.empty() || quant->scales.size() != quant->zero_points.size()) {
    return bad_input("quantization has ", quant->scales.size(), " scales and ",
                     quant->zero_points.size(), " zero points, expected one or more of each");
  }
  if (quant->per_tensor()) return Done{};
  if (quant->axis < 0 || quant->axis >= rank()) {
    return bad_input("quantization axis ", quant->axis, " is outside ", text_of(*this));
  }
  const int64_t channels = shape[static_cast<size_t>(quant->axis)];
  if (channels != static_cast<int64_t>(quant->scales.size())) {
    return bad_input("quantization has ", quant->scales.size(), " scales for ", channels,
                     " channels along axis ", quant->axis);
  }
  return Done{};
}

bool TensorType::operator==(const TensorType& other) const {
  if (dtype != other.dtype || shape != other.shape || ranked != other.ranked) return false;
  if (quant == other.quant) return true;
  return quant && other.quant && *quant == *other.quant;
}

std::string text_of(const TensorType& type) {
  std::string text(name_of(type.dtype));
  if (!type.ranked) return text + "[...]";
  text += '[';
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (i > 0) text += ',';
    text += type.shape[i] == kUnknown ? "?" : std::to_string(type.shape[i]);
  }
  return text + ']';
}

std::ostream& operator<<(std::ostream& out, const TensorType& type) {
  return out << text_of(type);
}

std::ostream& operator<<(std::ostream& out, const ValueType& type) {
  if (type.optional) out << "optional ";
  if (type.sequence) out << "sequence of ";
  return out << type.tensor;
}

}  // namespace hone
