// Conversion between element types. Every type is first read as one of three that hold it exactly:
// 64-bit integers, doubles or strings.

#include "hone/ops/elementwise/cast.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "hone/ops/common.h"
#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/elementwise/elementwise_tflite.h"
#include "hone/ops/onnx_import.h"

namespace hone {
namespace {

constexpr DTypeSet kWhole = kInteger | kSmallInteger | kBoolean;
constexpr DTypeSet kReal = kFloat | kFloat8 | kFloat4;

// --- numbers to strings

// The shortest "d.ddde+xx" that reads back as the same T.
template <class T>
std::string shortest_scientific(T value) {
  char text[64];
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
    return {text, end.ptr};
  } else {
    const float wide = value;
    std::to_chars_result end{};
    for (int digits = 0; digits < 9; ++digits) {
      end = std::to_chars(text, text + sizeof text, wide, std::chars_format::scientific, digits);
      *end.ptr = '\0';
      if (T(std::strtof(text, nullptr)).bits == value.bits) break;
    }
    return {text, end.ptr};
  }
}

// As Python's str(): plain between 1e-4 and 1e16 with at least one decimal, else scientific.
template <class T>
std::string text_of_real(T value) {
  const auto wide = static_cast<double>(value);
  if (std::isnan(wide)) return "NaN";
  if (std::isinf(wide)) return wide < 0 ? "-INF" : "INF";
  const std::string scientific = shortest_scientific(value);
  const size_t e = scientific.find('e');
  const int exponent = std::atoi(scientific.c_str() + e + 1);
  if (exponent < -4 || exponent >= 16) return scientific;
  const int decimals = std::max(static_cast<int>(e) - (scientific[0] == '-' ? 3 : 2), 0);
  const int shown = std::max(decimals - exponent, 1);
  char text[64];
  const double exact = std::strtod(scientific.c_str(), nullptr);
  const auto end = std::to_chars(text, text + sizeof text, exact, std::chars_format::fixed, shown);
  return {text, end.ptr};
}

Tensor reals_to_strings(const Tensor& from) {
  Tensor to(TensorType{DType::String, from.shape()});
  const auto texts = to.mutable_data<std::string>();
  if (from.dtype() == DType::F4E2M1) {
    const std::vector<double> values = to_doubles(from);
    std::ranges::transform(values, texts.begin(), text_of_real<double>);
    return to;
  }
  dispatch<float, double, Half, BFloat16, Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ>(
      from.dtype(), [&](auto tag) {
        const auto values = from.data<typename decltype(tag)::type>();
        for (size_t i = 0; i < texts.size(); ++i) texts[i] = text_of_real(values[i]);
      });
  return to;
}

Tensor wholes_to_strings(const Tensor& from) {
  Tensor to(TensorType{DType::String, from.shape()});
  const auto texts = to.mutable_data<std::string>();
  const std::vector<int64_t> values = to_ints(from);
  const bool is_unsigned = from.dtype() == DType::U64;
  for (size_t i = 0; i < texts.size(); ++i) {
    texts[i] =
        is_unsigned ? std::to_string(static_cast<uint64_t>(values[i])) : std::to_string(values[i]);
  }
  return to;
}

// --- strings to numbers

Error not_a_number(const std::string& text) {
  return bad_input("'", text, "' is not a number");
}

// Reads the whole of `text`, with spaces around it allowed.
template <class T, class Read>
std::optional<T> read_all(const std::string& text, Read read) {
  char* end = nullptr;
  const T value = read(text.c_str(), &end);
  if (end == text.c_str()) return std::nullopt;
  while (*end == ' ') ++end;
  if (end != text.c_str() + text.size()) return std::nullopt;
  return value;
}

// To float directly, since reading as double first would round twice.
Result<double> parse_real(const std::string& text, bool single) {
  const auto value = single ? read_all<double>(text,
                                               [](const char* s, char** end) {
                                                 return static_cast<double>(std::strtof(s, end));
                                               })
                            : read_all<double>(text, std::strtod);
  if (!value) return not_a_number(text);
  return *value;
}

// "100.5" is 100.
Result<int64_t> parse_whole(const std::string& text, bool is_unsigned) {
  const auto value = read_all<int64_t>(text, [&](const char* s, char** end) {
    return is_unsigned ? static_cast<int64_t>(std::strtoull(s, end, 10))
                       : static_cast<int64_t>(std::strtoll(s, end, 10));
  });
  if (value) return *value;
  HONE_TRY(const double real, parse_real(text, false));
  return is_unsigned ? static_cast<int64_t>(saturate_to<uint64_t>(real))
                     : saturate_to<int64_t>(real);
}

// --- numbers to numbers

// One element of a type other than string and the small ones, from a double or an int64.
template <class T, class From>
T convert(From value, bool saturate) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (kIsInteger<T>) {
    if constexpr (kIsInteger<From>) {
      return static_cast<T>(value);
    } else {
      return saturate_to<T>(value);
    }
  } else if constexpr (std::is_same_v<T, Float8E4M3FN>) {
    return std::bit_cast<T>(f32_to_f8(static_cast<float>(value), kE4M3FN, saturate));
  } else if constexpr (std::is_same_v<T, Float8E4M3FNUZ>) {
    return std::bit_cast<T>(f32_to_f8(static_cast<float>(value), kE4M3FNUZ, saturate));
  } else if constexpr (std::is_same_v<T, Float8E5M2>) {
    return std::bit_cast<T>(f32_to_f8(static_cast<float>(value), kE5M2, saturate));
  } else if constexpr (std::is_same_v<T, Float8E5M2FNUZ>) {
    return std::bit_cast<T>(f32_to_f8(static_cast<float>(value), kE5M2FNUZ, saturate));
  } else if constexpr (std::is_same_v<T, Half>) {
    return T(static_cast<double>(value));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

// For pack_small. Of integers the low bits, from floats too: ONNX leaves open what lies outside,
// and its tests wrap.
template <class From>
int8_t to_small(From value, DType dtype) {
  if (dtype == DType::F4E2M1) return static_cast<int8_t>(f32_to_f4(static_cast<float>(value)));
  if constexpr (kIsInteger<From>) {
    return static_cast<int8_t>(value & 15);
  } else {
    return to_small(saturate_to<int64_t>(value), dtype);
  }
}

template <class From>
Tensor store(const std::vector<From>& values, TensorType type, bool saturate) {
  if (is_small(type.dtype)) {
    std::vector<int8_t> codes;
    for (const From value : values) codes.push_back(to_small(value, type.dtype));
    return pack_small(std::move(type), codes);
  }
  Tensor to(std::move(type));
  dispatch<float, double, Half, BFloat16, Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ,
           int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool>(
      to.dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const auto out = to.mutable_data<T>();
        for (size_t i = 0; i < out.size(); ++i) out[i] = convert<T>(values[i], saturate);
      });
  return to;
}

Result<Tensor> from_strings(const Tensor& from, TensorType type, bool saturate) {
  if (type.dtype == DType::Bool) return unsupported("ONNX does not say which strings are true");
  const auto texts = from.data<std::string>();
  if (kReal.contains(type.dtype)) {
    std::vector<double> values;
    for (const std::string& text : texts) {
      HONE_TRY(const double value, parse_real(text, type.dtype == DType::F32));
      values.push_back(value);
    }
    return store(values, std::move(type), saturate);
  }
  std::vector<int64_t> values;
  for (const std::string& text : texts) {
    HONE_TRY(const int64_t value, parse_whole(text, type.dtype == DType::U64));
    values.push_back(value);
  }
  return store(values, std::move(type), saturate);
}

Tensor from_wholes(const Tensor& from, TensorType type, bool saturate) {
  std::vector<int64_t> values = to_ints(from);
  if (from.dtype() != DType::U64 || !kReal.contains(type.dtype)) {
    return store(values, std::move(type), saturate);
  }
  std::vector<double> reals;
  for (const int64_t value : values)
    reals.push_back(static_cast<double>(static_cast<uint64_t>(value)));
  return store(reals, std::move(type), saturate);
}

// --- operators

Result<std::vector<ValueType>> infer_to(const InferContext& in, DType dtype) {
  TensorType type = plain(in.type(0));
  type.dtype = dtype;
  return std::vector<ValueType>{type};
}

Result<std::vector<ValueType>> infer_cast(const InferContext& in) {
  const DType to = in.attr<DType>("to");
  if (to == DType::Undefined) return bad_input("attribute 'to' names no type");
  return infer_to(in, to);
}

Result<std::vector<ValueType>> infer_cast_like(const InferContext& in) {
  return infer_to(in, in.dtype(1));
}

Status eval_cast(EvalContext& in) {
  HONE_TRY(Tensor result,
           cast_to(in.in(0), in.out_type().tensor.dtype, in.integer("saturate") != 0));
  in.set(0, result.with_quantization(in.out_type().tensor.quant));
  return Done{};
}

// Before opset 6 the type was given by its name in TensorProto.DataType.
Status upgrade_cast(OnnxImport& in) {
  const auto found = in.attrs.find("to");
  if (found == in.attrs.end() || !std::holds_alternative<std::string>(found->second)) return Done{};
  const std::string name = std::get<std::string>(found->second);
  static const std::map<std::string_view, DType> kNames = {
      {"FLOAT", DType::F32},    {"DOUBLE", DType::F64}, {"FLOAT16", DType::F16},
      {"INT8", DType::I8},      {"INT16", DType::I16},  {"INT32", DType::I32},
      {"INT64", DType::I64},    {"UINT8", DType::U8},   {"UINT16", DType::U16},
      {"UINT32", DType::U32},   {"UINT64", DType::U64}, {"BOOL", DType::Bool},
      {"STRING", DType::String}};
  const auto dtype = kNames.find(name);
  if (dtype == kNames.end()) return unsupported("a cast to '", name, "'");
  found->second = dtype->second;
  return Done{};
}

}  // namespace

Result<Tensor> cast_to(const Tensor& from, DType dtype, bool saturate) {
  if (from.dtype() == dtype) return from;
  TensorType type{dtype, from.shape()};
  if (from.dtype() == DType::String) return from_strings(from, std::move(type), saturate);
  if (dtype == DType::String) {
    if (from.dtype() == DType::Bool) return unsupported("ONNX does not say how to write a bool");
    return kReal.contains(from.dtype()) ? reals_to_strings(from) : wholes_to_strings(from);
  }
  if (kWhole.contains(from.dtype())) return from_wholes(from, std::move(type), saturate);
  return store(to_doubles(from), std::move(type), saturate);
}

extern const OpDef op_cast = {
    .name = "cast",
    .summary = "Elements converted to another type; of quantized ones what is stored.",
    .kind = OpKind::Conversion,
    .inputs = {{"x", kEvery}},
    .attrs = {{"to", DType::Undefined, kRequired},
              {"saturate", int64_t{1}},
              {"round_mode", std::string("up")}},  // Of float8e8m0, which Hone does not have.
    .quantized = true,
    .infer = infer_cast,
    .cost = cost_per_element<1>,
    .eval = eval_cast,
    .onnx = {{"Cast", upgrade_cast}},
    .tflite = {{"CAST", import_cast}},
    .cases = {"(f32[2,5]) to=i32", "(i8[7]) to=f32", "(f32[7]) to=f16", "(f32[4]) to=bool"},
};

extern const OpDef op_cast_like = {
    .name = "cast_like",
    .summary = "Elements converted to the type of another tensor.",
    .kind = OpKind::Conversion,
    .inputs = {{"x", kEvery}, {"like", kEvery}},
    .attrs = {{"saturate", int64_t{1}}, {"round_mode", std::string("up")}},
    .infer = infer_cast_like,
    .cost = cost_per_element<1>,
    .eval = eval_cast,
    .onnx = {{"CastLike"}},
    .cases = {"(f32[2,5], i32[1])"},
};

}  // namespace hone
