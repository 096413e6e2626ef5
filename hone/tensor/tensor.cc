#include "hone/tensor/tensor.h"

#include <algorithm>
#include <cstring>

#include "hone/base/aligned.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

std::shared_ptr<std::byte> aligned_bytes(size_t size) {
  return {static_cast<std::byte*>(allocate_aligned(size)),
          [size](std::byte* p) { free_aligned(p, size); }};
}

}  // namespace

Tensor::Tensor(TensorType type) : type_(std::move(type)), writable_(true) {
  HONE_CHECK(type_.known(), "tensor of a type that is not known: ", text_of(type_));
  count_ = type_.elements();
  if (type_.dtype == DType::String) {
    auto strings = std::make_shared<std::vector<std::string>>(static_cast<size_t>(count_));
    data_ = reinterpret_cast<const std::byte*>(strings->data());
    owner_ = std::move(strings);
    return;
  }
  bytes_ = type_.bytes();
  auto memory = aligned_bytes(bytes_);
  std::memset(memory.get(), 0, bytes_);
  data_ = memory.get();
  owner_ = std::move(memory);
}

Result<Tensor> Tensor::view(TensorType type, const SharedBytes& bytes) {
  HONE_CHECK(type.known() && type.dtype != DType::String, "view of ", text_of(type));
  const uint64_t needed = type.bytes();
  if (bytes.bytes.size() < needed) {
    return bad_input("holds ", bytes.bytes.size(), " bytes, expected ", needed, " for ",
                     text_of(type));
  }
  const auto alignment = static_cast<uintptr_t>(std::max(bits_of(type.dtype), 8) / 8);
  if (reinterpret_cast<uintptr_t>(bytes.bytes.data()) % alignment != 0) {
    Tensor copy(std::move(type));
    std::memcpy(copy.mutable_bytes().data(), bytes.bytes.data(), needed);
    return copy;
  }
  Tensor tensor;
  tensor.count_ = type.elements();
  tensor.type_ = std::move(type);
  tensor.bytes_ = needed;
  tensor.owner_ = bytes.owner;
  tensor.data_ = bytes.bytes.data();
  return tensor;
}

void Tensor::own() {
  if (writable_ && owner_.use_count() == 1) return;
  Tensor copy(type_);
  if (type_.dtype == DType::String) {
    const auto* from = reinterpret_cast<const std::string*>(data_);
    std::copy(from, from + count_, copy.mutable_data<std::string>().begin());
  } else if (bytes_ != 0) {
    std::memcpy(const_cast<std::byte*>(copy.data_), data_, bytes_);
  }
  *this = std::move(copy);
}

std::span<std::byte> Tensor::mutable_bytes() {
  own();
  return {const_cast<std::byte*>(data_), bytes_};
}

Tensor Tensor::reshaped(Shape shape) const {
  Tensor tensor = *this;
  HONE_CHECK(hone::elements(shape) == count_, "reshape of ", text_of(type_), " to ",
             text_of(shape));
  tensor.type_.shape = std::move(shape);
  return tensor;
}

Tensor Tensor::with_quantization(std::shared_ptr<const Quantization> quant) const {
  Tensor tensor = *this;
  tensor.type_.quant = std::move(quant);
  return tensor;
}

std::vector<int8_t> unpack_small(const Tensor& tensor) {
  const std::span<const std::byte> packed = tensor.bytes();
  const auto bits = static_cast<size_t>(bits_of(tensor.dtype()));
  const size_t per_byte = 8 / bits;
  const bool has_sign = tensor.dtype() == DType::I2 || tensor.dtype() == DType::I4;
  std::vector<int8_t> values(static_cast<size_t>(tensor.elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    const int code =
        (std::to_integer<int>(packed[i / per_byte]) >> (i % per_byte * bits)) & ((1 << bits) - 1);
    const bool negative = has_sign && code >= 1 << (bits - 1);
    values[i] = static_cast<int8_t>(negative ? code - (1 << bits) : code);
  }
  return values;
}

Tensor pack_small(TensorType type, std::span<const int8_t> values) {
  Tensor tensor(std::move(type));
  const auto bits = static_cast<size_t>(bits_of(tensor.dtype()));
  const size_t per_byte = 8 / bits;
  const std::span<std::byte> packed = tensor.mutable_bytes();
  for (size_t i = 0; i < values.size(); ++i) {
    const int code = values[i] & ((1 << bits) - 1);
    packed[i / per_byte] |= static_cast<std::byte>(code << (i % per_byte * bits));
  }
  return tensor;
}

std::vector<int64_t> to_ints(const Tensor& tensor) {
  if (kSmallInteger.contains(tensor.dtype())) {
    const std::vector<int8_t> values = unpack_small(tensor);
    return {values.begin(), values.end()};
  }
  return dispatch<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool>(
      tensor.dtype(), [&](auto tag) {
        const auto data = tensor.data<typename decltype(tag)::type>();
        std::vector<int64_t> values(data.size());
        for (size_t i = 0; i < data.size(); ++i) values[i] = static_cast<int64_t>(data[i]);
        return values;
      });
}

std::vector<double> to_doubles(const Tensor& tensor) {
  if (is_small(tensor.dtype())) {
    const std::vector<int8_t> codes = unpack_small(tensor);
    std::vector<double> values(codes.begin(), codes.end());
    if (tensor.dtype() != DType::F4E2M1) return values;
    std::ranges::transform(codes, values.begin(), [](int8_t code) {
      return double{f4_to_f32(static_cast<uint8_t>(code))};
    });
    return values;
  }
  return dispatch<float, double, Half, BFloat16, Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2,
                  Float8E5M2FNUZ, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                  uint64_t, bool>(tensor.dtype(), [&](auto tag) {
    const auto data = tensor.data<typename decltype(tag)::type>();
    std::vector<double> values(data.size());
    for (size_t i = 0; i < data.size(); ++i) values[i] = static_cast<double>(data[i]);
    return values;
  });
}

}  // namespace hone
