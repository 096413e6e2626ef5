#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/base/shared_bytes.h"
#include "hone/tensor/small_float.h"
#include "hone/tensor/tensor_type.h"

namespace hone {

// The element type of a C++ type: kDTypeOf<float> == DType::F32.
template <class T>
inline constexpr DType kDTypeOf = DType::Undefined;
template <>
inline constexpr DType kDTypeOf<float> = DType::F32;
template <>
inline constexpr DType kDTypeOf<double> = DType::F64;
template <>
inline constexpr DType kDTypeOf<Half> = DType::F16;
template <>
inline constexpr DType kDTypeOf<BFloat16> = DType::BF16;
template <>
inline constexpr DType kDTypeOf<Float8E4M3FN> = DType::F8E4M3FN;
template <>
inline constexpr DType kDTypeOf<Float8E4M3FNUZ> = DType::F8E4M3FNUZ;
template <>
inline constexpr DType kDTypeOf<Float8E5M2> = DType::F8E5M2;
template <>
inline constexpr DType kDTypeOf<Float8E5M2FNUZ> = DType::F8E5M2FNUZ;
template <>
inline constexpr DType kDTypeOf<int8_t> = DType::I8;
template <>
inline constexpr DType kDTypeOf<int16_t> = DType::I16;
template <>
inline constexpr DType kDTypeOf<int32_t> = DType::I32;
template <>
inline constexpr DType kDTypeOf<int64_t> = DType::I64;
template <>
inline constexpr DType kDTypeOf<uint8_t> = DType::U8;
template <>
inline constexpr DType kDTypeOf<uint16_t> = DType::U16;
template <>
inline constexpr DType kDTypeOf<uint32_t> = DType::U32;
template <>
inline constexpr DType kDTypeOf<uint64_t> = DType::U64;
template <>
inline constexpr DType kDTypeOf<bool> = DType::Bool;
template <>
inline constexpr DType kDTypeOf<std::string> = DType::String;

// A dense row-major array with a known type. Copies share the elements until one of them is
// written.
class Tensor {
 public:
  Tensor() = default;

  // Zeros, or empty strings. Requires a known type that passes TensorType::check.
  explicit Tensor(TensorType type);

  // The elements given, which must be as many as the shape says.
  template <class T>
  static Tensor of(Shape shape, const std::vector<T>& values);
  template <class T>
  static Tensor scalar(T value) {
    return of<T>({}, {std::move(value)});
  }
  static Tensor of_ints(const std::vector<int64_t>& values) {
    return of<int64_t>({static_cast<int64_t>(values.size())}, values);
  }

  // A view of bytes that somebody keeps alive; copied when the address is not aligned for the type.
  // BadInput when there are fewer bytes than the type needs.
  static Result<Tensor> view(TensorType type, const SharedBytes& bytes);

  const TensorType& type() const { return type_; }
  const Shape& shape() const { return type_.shape; }
  DType dtype() const { return type_.dtype; }
  int64_t rank() const { return type_.rank(); }
  int64_t elements() const { return count_; }

  // The elements; T must be the type of the tensor. mutable_data first makes this tensor the sole
  // owner, copying if need be.
  template <class T>
  std::span<const T> data() const;
  template <class T>
  std::span<T> mutable_data();

  // The storage, packed for 4-bit types. Not for strings.
  std::span<const std::byte> bytes() const { return {data_, bytes_}; }
  std::span<std::byte> mutable_bytes();

  // The same elements under another shape of as many elements, or under other quantization.
  Tensor reshaped(Shape shape) const;
  Tensor with_quantization(std::shared_ptr<const Quantization> quant) const;

 private:
  void own();

  TensorType type_;
  int64_t count_ = 0;
  size_t bytes_ = 0;
  bool writable_ = false;  // False for a view of somebody's bytes.
  std::shared_ptr<const void> owner_;
  const std::byte* data_ = nullptr;
};

// The values of a tensor of any integer type (small ones too) or bool, widened.
std::vector<int64_t> to_ints(const Tensor& tensor);
// The values of a tensor of any numeric type or bool. Quantized tensors give stored values.
std::vector<double> to_doubles(const Tensor& tensor);
// The values of a tensor of small integers, one byte each, or the bits of small floats; and the way
// back (values are cut to the bits there are).
std::vector<int8_t> unpack_small(const Tensor& tensor);
Tensor pack_small(TensorType type, std::span<const int8_t> values);

// What a value of a graph holds while it runs: a tensor, a sequence of tensors, or nothing.
struct Item {
  enum class Kind { Absent, Tensor, Sequence };
  Kind kind = Kind::Absent;
  Tensor tensor;
  std::vector<Tensor> sequence;

  Item() = default;
  Item(Tensor value) : kind(Kind::Tensor), tensor(std::move(value)) {}
  Item(std::vector<Tensor> values) : kind(Kind::Sequence), sequence(std::move(values)) {}
  bool is_tensor() const { return kind == Kind::Tensor; }
  bool is_sequence() const { return kind == Kind::Sequence; }
  bool absent() const { return kind == Kind::Absent; }
};

template <class T>
std::span<const T> Tensor::data() const {
  HONE_CHECK(kDTypeOf<T> == type_.dtype, "data of a tensor of ", type_.dtype, " as ", kDTypeOf<T>);
  return {reinterpret_cast<const T*>(data_), static_cast<size_t>(count_)};
}

template <class T>
std::span<T> Tensor::mutable_data() {
  own();
  const std::span<const T> elements = data<T>();
  return {const_cast<T*>(elements.data()), elements.size()};
}

template <class T>
Tensor Tensor::of(Shape shape, const std::vector<T>& values) {
  Tensor tensor(TensorType{kDTypeOf<T>, std::move(shape)});
  HONE_CHECK(tensor.elements() == static_cast<int64_t>(values.size()), "tensor of shape ",
             text_of(tensor.shape()), " from ", values.size(), " values");
  const std::span<T> elements = tensor.mutable_data<T>();
  for (size_t i = 0; i < values.size(); ++i) elements[i] = values[i];
  return tensor;
}

}  // namespace hone
