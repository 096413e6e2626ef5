// TensorProto and SparseTensorProto -> Tensor. Every size a file claims is compared with what it
// holds before memory is taken for it.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "hone/tensor/dispatch.h"
#include "hone/wire/onnx_proto.h"

namespace hone {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

namespace {

struct TypeRow {
  std::string_view name;  // The standard's name.
  DType dtype;            // Undefined for what Hone has no type for.
};

// In the order of TensorProto.DataType.
constexpr std::array<TypeRow, 27> kTypes = {{{"undefined", DType::Undefined},
                                             {"float", DType::F32},
                                             {"uint8", DType::U8},
                                             {"int8", DType::I8},
                                             {"uint16", DType::U16},
                                             {"int16", DType::I16},
                                             {"int32", DType::I32},
                                             {"int64", DType::I64},
                                             {"string", DType::String},
                                             {"bool", DType::Bool},
                                             {"float16", DType::F16},
                                             {"double", DType::F64},
                                             {"uint32", DType::U32},
                                             {"uint64", DType::U64},
                                             {"complex64", DType::Undefined},
                                             {"complex128", DType::Undefined},
                                             {"bfloat16", DType::BF16},
                                             {"float8e4m3fn", DType::F8E4M3FN},
                                             {"float8e4m3fnuz", DType::F8E4M3FNUZ},
                                             {"float8e5m2", DType::F8E5M2},
                                             {"float8e5m2fnuz", DType::F8E5M2FNUZ},
                                             {"uint4", DType::U4},
                                             {"int4", DType::I4},
                                             {"float4e2m1", DType::F4E2M1},
                                             {"float8e8m0", DType::Undefined},
                                             {"uint2", DType::U2},
                                             {"int2", DType::I2}}};

Result<TensorType> claimed_type(const pb::TensorProto& proto) {
  if (proto.data_type() == pb::TensorProto::UNDEFINED) return bad_input("has no element type");
  HONE_TRY(const DType dtype, element_type(proto.data_type()));
  TensorType type{dtype, {proto.dims().begin(), proto.dims().end()}};
  // check() lets an unknown extent pass, and -1 is how one is written.
  if (std::ranges::any_of(type.shape, [](int64_t extent) { return extent < 0; })) {
    return bad_input("has a negative extent: ", join(type.shape, "x"));
  }
  HONE_RETURN_IF_ERROR(type.check());
  return type;
}

Error wrong_count(const TensorType& type, uint64_t count, uint64_t expected) {
  return bad_input("holds ", count, " values, expected ", expected, " for ", text_of(type));
}

// A file may hold any byte for true, C++ only 1.
Tensor with_clean_bools(Tensor tensor) {
  const auto dirty = [](std::byte b) { return std::to_integer<int>(b) > 1; };
  if (tensor.dtype() != DType::Bool || std::ranges::none_of(tensor.bytes(), dirty)) return tensor;
  for (std::byte& b : tensor.mutable_bytes()) b = std::byte{b != std::byte{0}};
  return tensor;
}

Result<Tensor> from_bytes(const TensorType& type, const SharedBytes& raw) {
  if (type.dtype == DType::String) return bad_input("holds strings as raw bytes");
  if (raw.bytes.size() != type.bytes()) {
    return bad_input("holds ", raw.bytes.size(), " bytes, expected ", type.bytes(), " for ",
                     text_of(type));
  }
  HONE_TRY(Tensor tensor, Tensor::view(type, raw));
  return with_clean_bools(std::move(tensor));
}

// `values` as elements of Stored, which must be able to hold them as signed or as unsigned numbers:
// writers disagree on whether the bits of a float16 or a byte have a sign.
template <class Stored, class Values>
Result<Tensor> from_values(const TensorType& type, const Values& values) {
  using Value = typename Values::value_type;
  const uint64_t expected = type.bytes() / sizeof(Stored);
  const auto count = static_cast<uint64_t>(values.size());
  if (count != expected) return wrong_count(type, count, expected);
  Tensor tensor(type);
  std::byte* out = tensor.mutable_bytes().data();
  for (const Value value : values) {
    const auto stored = static_cast<Stored>(value);
    if constexpr (sizeof(Stored) < sizeof(Value)) {
      constexpr auto kMax = static_cast<int64_t>(std::numeric_limits<Stored>::max());
      if (std::cmp_greater(value, kMax) || std::cmp_less(value, -(kMax + 1) / 2)) {
        return bad_input("holds ", value, ", which does not fit ", type.dtype);
      }
    }
    std::memcpy(out, &stored, sizeof stored);
    out += sizeof stored;
  }
  return with_clean_bools(std::move(tensor));
}

Result<Tensor> from_strings(const TensorType& type, pb::TensorProto& proto) {
  const auto count = static_cast<uint64_t>(proto.string_data_size());
  const auto expected = static_cast<uint64_t>(type.elements());
  if (count != expected) return wrong_count(type, count, expected);
  Tensor tensor(type);
  int next = 0;
  for (std::string& text : tensor.mutable_data<std::string>()) {
    text = std::move(*proto.mutable_string_data(next++));
  }
  return tensor;
}

Result<Tensor> from_typed_fields(const TensorType& type, pb::TensorProto& proto) {
  switch (type.dtype) {
    case DType::F32:
      return from_values<float>(type, proto.float_data());
    case DType::F64:
      return from_values<double>(type, proto.double_data());
    case DType::I64:
      return from_values<int64_t>(type, proto.int64_data());
    case DType::U64:
      return from_values<uint64_t>(type, proto.uint64_data());
    case DType::U32:
      return from_values<uint32_t>(type, proto.uint64_data());
    case DType::String:
      return from_strings(type, proto);
    case DType::I32:
      return from_values<int32_t>(type, proto.int32_data());
    default:
      break;
  }
  if (bits_of(type.dtype) == 16) return from_values<uint16_t>(type, proto.int32_data());
  return from_values<uint8_t>(type, proto.int32_data());
}

// Row-major positions in the dense tensor, one per value. Both forms of indices: [n] of positions,
// or [n, rank] of coordinates.
Result<std::vector<size_t>> dense_positions(const Tensor& indices, const TensorType& dense,
                                            int64_t values) {
  const bool flat = indices.rank() == 1;
  if (indices.dtype() != DType::I64 || indices.rank() < 1 || indices.rank() > 2 ||
      indices.shape()[0] != values || (!flat && indices.shape()[1] != dense.rank())) {
    return bad_input("sparse indices are ", text_of(indices.type()), ", expected i64[", values,
                     "] or i64[", values, ",", dense.rank(), "]");
  }
  const std::span<const int64_t> index = indices.data<int64_t>();
  const Shape shape = flat ? Shape{dense.elements()} : dense.shape;
  std::vector<size_t> positions(static_cast<size_t>(values));
  for (size_t i = 0; i < positions.size(); ++i) {
    int64_t position = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const int64_t at = index[i * shape.size() + axis];
      if (at < 0 || at >= shape[axis]) {
        return bad_input("sparse index ", at, " is outside ", text_of(dense));
      }
      position = position * shape[axis] + at;
    }
    positions[i] = static_cast<size_t>(position);
  }
  return positions;
}

// What a dense tensor of this type takes in memory; a string has a fixed part of its own.
uint64_t memory_of(const TensorType& type) {
  if (type.dtype != DType::String) return type.bytes();
  return static_cast<uint64_t>(type.elements()) * sizeof(std::string);
}

Tensor scattered(TensorType type, const Tensor& values, std::span<const size_t> positions) {
  if (is_small(type.dtype)) {
    std::vector<int8_t> dense(static_cast<size_t>(type.elements()));
    const std::vector<int8_t> unpacked = unpack_small(values);
    for (size_t i = 0; i < positions.size(); ++i) dense[positions[i]] = unpacked[i];
    return pack_small(std::move(type), dense);
  }
  Tensor dense(std::move(type));
  dispatch_by_size(dense.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* out = mutable_raw<T>(dense);
    const T* in = raw<T>(values);
    for (size_t i = 0; i < positions.size(); ++i) out[positions[i]] = in[i];
  });
  return dense;
}

}  // namespace

DType dtype_from_onnx(int64_t number) {
  if (number < 0 || number >= static_cast<int64_t>(kTypes.size())) return DType::Undefined;
  return kTypes[static_cast<size_t>(number)].dtype;
}

int64_t dtype_to_onnx(DType dtype) {
  const auto row = std::ranges::find(kTypes, dtype, &TypeRow::dtype);
  return row == kTypes.end() ? 0 : row - kTypes.begin();
}

Result<DType> element_type(int64_t number) {
  const DType dtype = dtype_from_onnx(number);
  if (dtype != DType::Undefined || number == 0) return dtype;
  if (number > 0 && number < static_cast<int64_t>(kTypes.size())) {
    return unsupported("element type ", kTypes[static_cast<size_t>(number)].name,
                       " is not supported");
  }
  return unsupported("element type number ", number, " is not known");
}

Result<Tensor> tensor_from_proto(pb::TensorProto& proto, OnnxSource& source) {
  if (!proto.has_raw_data()) return tensor_from_proto(proto, std::nullopt, source);
  auto owner = std::make_shared<const std::string>(std::move(*proto.mutable_raw_data()));
  const auto bytes = std::as_bytes(std::span(*owner));
  return tensor_from_proto(proto, SharedBytes{std::move(owner), bytes}, source);
}

Result<Tensor> tensor_from_proto(pb::TensorProto& proto, std::optional<SharedBytes> raw,
                                 OnnxSource& source) {
  if (proto.has_segment()) return unsupported("is a segment of a bigger tensor");
  HONE_TRY(const TensorType type, claimed_type(proto));
  if (proto.data_location() == pb::TensorProto::EXTERNAL) {
    if (type.dtype == DType::String) return bad_input("holds strings in external data");
    HONE_TRY(const SharedBytes bytes, read_external_data(proto, type.bytes(), source.folder));
    return from_bytes(type, bytes);
  }
  // An empty raw_data says no more than an absent one.
  if (raw && !raw->bytes.empty()) return from_bytes(type, *raw);
  return from_typed_fields(type, proto);
}

Result<Tensor> tensor_from_proto(pb::SparseTensorProto& proto, OnnxSource& source) {
  HONE_TRY(const Tensor values, tensor_from_proto(*proto.mutable_values(), source));
  HONE_TRY(const Tensor indices, tensor_from_proto(*proto.mutable_indices(), source));
  if (values.rank() != 1) {
    return bad_input("sparse values are ", text_of(values.type()), ", expected rank 1");
  }
  TensorType dense{values.dtype(), {proto.dims().begin(), proto.dims().end()}};
  if (std::ranges::any_of(dense.shape, [](int64_t extent) { return extent < 0; })) {
    return bad_input("has a negative extent: ", join(dense.shape, "x"));
  }
  HONE_RETURN_IF_ERROR(dense.check());
  const uint64_t memory = memory_of(dense);
  if (memory > source.sparse_bytes_left) {
    return unsupported("sparse ", text_of(dense), " is too big to be made dense");
  }
  HONE_TRY(const std::vector<size_t> positions, dense_positions(indices, dense, values.elements()));
  source.sparse_bytes_left -= memory;
  return scattered(std::move(dense), values, positions);
}

}  // namespace hone
