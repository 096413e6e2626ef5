#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/tensor/dtype.h"

namespace hone {

// Extents, outermost first. kUnknown stands for an extent that only a run will tell.
using Shape = std::vector<int64_t>;
inline constexpr int64_t kUnknown = -1;

// The product of the extents. Requires all known and the product representable, which
// TensorType::check ensures for every type that enters a graph.
int64_t elements(std::span<const int64_t> shape);

// "1x3x224x224", "?x10", "scalar".
std::string text_of(std::span<const int64_t> shape);

// real = (stored - zero_point) * scale, one pair for the tensor or one per index along `axis`.
struct Quantization {
  std::vector<float> scales;
  std::vector<int32_t> zero_points;  // As many as scales.
  int axis = kPerTensor;
  static constexpr int kPerTensor = -1;

  bool per_tensor() const { return axis == kPerTensor; }
  float scale(size_t channel = 0) const { return scales[per_tensor() ? 0 : channel]; }
  int32_t zero_point(size_t channel = 0) const { return zero_points[per_tensor() ? 0 : channel]; }
  bool operator==(const Quantization&) const = default;
};

struct TensorType {
  DType dtype = DType::Undefined;
  Shape shape;
  // Null for plain numbers.
  std::shared_ptr<const Quantization> quant = nullptr;
  // False when not even the number of axes is known; shape is empty then.
  bool ranked = true;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  bool quantized() const { return quant != nullptr; }
  // True when dtype and every extent are known.
  bool known() const;
  // Require a type whose shape is known.
  int64_t elements() const { return hone::elements(shape); }
  uint64_t bytes() const { return bytes_of(dtype, static_cast<uint64_t>(elements())); }

  // BadInput when an extent is negative (other than unknown) or the size overflows or passes
  // kLargestTensorBytes; quantization parameters that do not fit the shape are refused too.
  Status check() const;

  static TensorType unranked(DType dtype) { return {dtype, {}, nullptr, false}; }
  bool operator==(const TensorType& other) const;
};

// No tensor may claim more: a file of a few bytes can claim anything.
inline constexpr uint64_t kLargestTensorBytes = uint64_t{1} << 36;

// "f32[1,3,224,224]", "i8[4,?]", "f32[...]" when the rank is unknown. Quantization is not shown.
std::string text_of(const TensorType& type);
std::ostream& operator<<(std::ostream& out, const TensorType& type);

// The type of a value in a graph: a tensor, or ONNX's containers of tensors.
struct ValueType {
  TensorType tensor;  // Of the elements, if a sequence.
  bool sequence = false;
  bool optional = false;

  ValueType() : tensor(TensorType::unranked(DType::Undefined)) {}
  ValueType(TensorType type) : tensor(std::move(type)) {}
  ValueType(DType dtype, Shape shape) : tensor{dtype, std::move(shape)} {}
  static ValueType sequence_of(TensorType type) {
    ValueType result(std::move(type));
    result.sequence = true;
    return result;
  }
  bool is_tensor() const { return !sequence && !optional; }
  bool operator==(const ValueType&) const = default;
};
std::ostream& operator<<(std::ostream& out, const ValueType& type);

}  // namespace hone
