#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "hone/wire/tflite_builder.h"
#include "hone/wire/tflite_file.h"

namespace hone {
namespace {

namespace tfl = hone_tflite;

// TFLite's own kernels stop at 8 axes at most.
constexpr size_t kMostAxes = 64;

struct DTypeRow {
  tfl::TensorType type;
  DType dtype;
};

constexpr DTypeRow kDTypeRows[] = {
    {tfl::TensorType::FLOAT32, DType::F32},
    {tfl::TensorType::FLOAT16, DType::F16},
    {tfl::TensorType::FLOAT64, DType::F64},
    {tfl::TensorType::BFLOAT16, DType::BF16},
    {tfl::TensorType::FLOAT8_E4M3FN, DType::F8E4M3FN},
    {tfl::TensorType::FLOAT8_E5M2, DType::F8E5M2},
    {tfl::TensorType::INT2, DType::I2},
    {tfl::TensorType::INT4, DType::I4},
    {tfl::TensorType::INT8, DType::I8},
    {tfl::TensorType::INT16, DType::I16},
    {tfl::TensorType::INT32, DType::I32},
    {tfl::TensorType::INT64, DType::I64},
    {tfl::TensorType::UINT4, DType::U4},
    {tfl::TensorType::UINT8, DType::U8},
    {tfl::TensorType::UINT16, DType::U16},
    {tfl::TensorType::UINT32, DType::U32},
    {tfl::TensorType::UINT64, DType::U64},
    {tfl::TensorType::BOOL, DType::Bool},
    {tfl::TensorType::STRING, DType::String},
};

// Handles, and numbers that Hone does not compute with.
bool is_opaque(tfl::TensorType type) {
  return type == tfl::TensorType::RESOURCE || type == tfl::TensorType::VARIANT ||
         type == tfl::TensorType::COMPLEX64 || type == tfl::TensorType::COMPLEX128;
}

Result<Shape> shape_of(TfliteFile& file, const tfl::Tensor& from) {
  if (from.shape() != nullptr && from.shape()->size() > kMostAxes) {
    return bad_input("has ", from.shape()->size(), " axes, expected at most ", kMostAxes);
  }
  return file.list<int64_t>(from.shape());
}

// The shape with unknown extents where the signature has them.
Result<Shape> shape_with_unknowns(Shape shape, const flatbuffers::Vector<int32_t>* signature) {
  if (signature == nullptr || signature->size() == 0) return shape;
  if (signature->size() != shape.size()) {
    return bad_input("shape signature has ", signature->size(), " axes, expected ", shape.size());
  }
  for (uint32_t i = 0; i < signature->size(); ++i) {
    if (signature->Get(i) == -1) shape[i] = kUnknown;
  }
  return shape;
}

struct Range {
  int64_t low;
  int64_t high;
};

// Of zero points: what the type holds, and no more than 32 bits of it.
Range zero_point_range(DType dtype) {
  const int bits = std::min(bits_of(dtype), 32);
  const bool is_unsigned = kUnsigned.contains(dtype) || dtype == DType::U4;
  if (is_unsigned && bits < 32) return {0, (int64_t{1} << bits) - 1};
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

Result<std::vector<int32_t>> zero_points_of(TfliteFile& file,
                                            const flatbuffers::Vector<int64_t>* from, size_t scales,
                                            DType dtype) {
  HONE_RETURN_IF_ERROR(file.charge(scales * sizeof(int32_t)));
  const size_t count = from ? from->size() : 0;
  if (count > 1 && count != scales) {
    return bad_input("quantization has ", scales, " scales and ", count, " zero points");
  }
  const Range range = zero_point_range(dtype);
  std::vector<int32_t> zero_points(scales, 0);
  for (size_t i = 0; i < scales && count > 0; ++i) {
    // In a damaged file they may lie anywhere, aligned or not.
    int64_t value = 0;
    std::memcpy(&value, from->Data() + (count == 1 ? 0 : i) * sizeof(value), sizeof(value));
    if (value < range.low || value > range.high) {
      return bad_input("zero point ", value, " of ", dtype, ", expected ", range.low, " to ",
                       range.high);
    }
    zero_points[i] = static_cast<int32_t>(value);
  }
  return zero_points;
}

// Null when the tensor holds plain numbers: no scales (training ranges alone do not quantize), all
// scales zero, or an element type that is no integer, whose parameters TFLite ignores.
Result<std::shared_ptr<const Quantization>> quantization_of(TfliteFile& file,
                                                            const tfl::QuantizationParameters* from,
                                                            DType dtype, const Shape& shape) {
  std::shared_ptr<const Quantization> none;
  if (from == nullptr) return none;
  if (from->details_type() != tfl::QuantizationDetails::NONE) {
    const auto type = from->details_type();
    return unsupported("quantization of kind ", static_cast<int>(type), " ",
                       tfl::EnumNameQuantizationDetails(type));
  }
  if (!(kInteger | kSmallInteger).contains(dtype)) return none;
  auto quant = std::make_shared<Quantization>();
  HONE_TRY(quant->scales, file.list<float>(from->scale()));
  if (std::ranges::all_of(quant->scales, [](float scale) { return scale == 0; })) return none;
  for (const float scale : quant->scales) {
    if (!std::isfinite(scale) || scale <= 0) {
      return bad_input("quantization scale ", scale, " is not a positive number");
    }
  }
  HONE_TRY(quant->zero_points,
           zero_points_of(file, from->zero_point(), quant->scales.size(), dtype));
  if (quant->scales.size() > 1) {
    // A negative axis must not be taken for Hone's mark of one scale for the whole tensor.
    if (from->quantized_dimension() < 0) {
      return bad_input("quantized dimension ", from->quantized_dimension(), " is negative");
    }
    // Biases may name the axis of the weights that their scales were made of.
    const bool one_each =
        shape.size() == 1 && shape[0] == static_cast<int64_t>(quant->scales.size());
    quant->axis = one_each ? 0 : from->quantized_dimension();
  }
  return std::shared_ptr<const Quantization>(std::move(quant));
}

int32_t int32_at(std::span<const std::byte> bytes, size_t index) {
  int32_t value = 0;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

// TFLite's form of a string tensor: the count, count + 1 offsets from the start of the buffer, the
// characters; all numbers int32.
Result<Tensor> decode_strings(TfliteFile& file, const TensorType& type,
                              std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(int32_t)) {
    return bad_input("string buffer holds ", bytes.size(), " bytes, expected 4 or more");
  }
  const int64_t count = int32_at(bytes, 0);
  if (count != type.elements()) {
    return bad_input("string buffer holds ", count, " strings, expected ", type.elements());
  }
  const auto strings = static_cast<size_t>(count);
  if ((strings + 2) * sizeof(int32_t) > bytes.size()) {
    return bad_input("string buffer of ", bytes.size(), " bytes ends before its offsets");
  }
  HONE_RETURN_IF_ERROR(file.charge(strings * sizeof(std::string) + bytes.size()));
  Tensor tensor(type);
  const std::span<std::string> texts = tensor.mutable_data<std::string>();
  for (size_t i = 0; i < strings; ++i) {
    const int64_t begin = int32_at(bytes, i + 1);
    const int64_t end = int32_at(bytes, i + 2);
    if (begin < 0 || end < begin || end > static_cast<int64_t>(bytes.size())) {
      return bad_input("string ", i, " lies at bytes ", begin, " to ", end, " of a buffer of ",
                       bytes.size());
    }
    const auto* start = reinterpret_cast<const char*>(bytes.data()) + begin;
    texts[i].assign(start, static_cast<size_t>(end - begin));
  }
  return tensor;
}

// C++ may assume that a bool is 0 or 1, so anything else must not get through.
Status check_bools(TfliteFile& file, std::span<const std::byte> bytes) {
  HONE_RETURN_IF_ERROR(file.charge(bytes.size()));
  const bool fine = std::ranges::all_of(bytes, [](std::byte b) { return b <= std::byte{1}; });
  if (!fine) return bad_input("buffer holds a bool that is neither 0 nor 1");
  return Done{};
}

// Whether Tensor::view has to copy.
bool misaligned(const SharedBytes& bytes, DType dtype) {
  const auto alignment = static_cast<uintptr_t>(std::max(bits_of(dtype), 8) / 8);
  return reinterpret_cast<uintptr_t>(bytes.bytes.data()) % alignment != 0;
}

Result<Tensor> decode_constant(TfliteFile& file, const tfl::Tensor& from, const TensorType& type,
                               const SharedBytes& bytes) {
  if (!type.known()) return bad_input("constant of unknown shape ", type);
  if (type.dtype == DType::Bool) HONE_RETURN_IF_ERROR(check_bools(file, bytes.bytes));
  if (from.sparsity() != nullptr) {
    return expand_tflite_sparse(file, type, *from.sparsity(), bytes.bytes);
  }
  if (type.dtype == DType::String) return decode_strings(file, type, bytes.bytes);
  if (bytes.bytes.size() != type.bytes()) {
    return bad_input("buffer holds ", bytes.bytes.size(), " bytes, expected ", type.bytes(),
                     " for ", type);
  }
  if (misaligned(bytes, type.dtype)) HONE_RETURN_IF_ERROR(file.charge(type.bytes()));
  return Tensor::view(type, bytes);
}

}  // namespace

Result<DType> dtype_from_tflite(tfl::TensorType type) {
  for (const DTypeRow& row : kDTypeRows) {
    if (row.type == type) return row.dtype;
  }
  return unsupported("element type ", static_cast<int>(type), " ", tfl::EnumNameTensorType(type));
}

Result<tfl::TensorType> dtype_to_tflite(DType dtype) {
  for (const DTypeRow& row : kDTypeRows) {
    if (row.dtype == dtype) return row.type;
  }
  return unsupported("elements of ", dtype, ", which TFLite has not");
}

Result<TfliteTensor> decode_tflite_tensor(TfliteFile& file, const tfl::Tensor& from) {
  HONE_RETURN_IF_ERROR(file.charge(sizeof(TfliteTensor)));
  TfliteTensor tensor;
  HONE_TRY(tensor.name, file.text(from.name()));
  tensor.variable = from.is_variable();
  if (from.external_buffer() != 0) return unsupported("data in another file");
  HONE_TRY(const SharedBytes bytes, file.buffer(from.buffer()));

  TensorType& type = tensor.type;
  if (!is_opaque(from.type())) {
    HONE_TRY(type.dtype, dtype_from_tflite(from.type()));
  }
  HONE_TRY(type.shape, shape_of(file, from));
  HONE_TRY(type.quant, quantization_of(file, from.quantization(), type.dtype, type.shape));
  // A constant is as it is; only what a run computes can have extents that the run will tell.
  if (bytes.bytes.empty()) {
    HONE_TRY(type.shape, shape_with_unknowns(std::move(type.shape), from.shape_signature()));
    type.ranked = !type.shape.empty() || from.has_rank() || !file.says_rank();
  }
  HONE_RETURN_IF_ERROR(type.check());
  if (!bytes.bytes.empty() && type.dtype != DType::Undefined) {
    HONE_TRY(tensor.constant, decode_constant(file, from, type, bytes));
  }
  return tensor;
}

}  // namespace hone
