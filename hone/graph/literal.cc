#include "hone/graph/literal.h"

#include <charconv>

#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

template <class T>
std::string shortest(T value) {
  char buffer[64];
  const auto result = std::to_chars(std::begin(buffer), std::end(buffer), value);
  // One spelling for every NaN, whatever its sign.
  if constexpr (std::is_floating_point_v<T>) {
    if (value != value) return "nan";
  }
  return {buffer, result.ptr};
}

template <class T>
std::string text_of_element(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return quote(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T> || std::is_same_v<T, double>) {
    return shortest(value);
  } else {
    return shortest(static_cast<float>(value));
  }
}

template <class T>
std::string text_of_all(std::span<const T> values) {
  std::string text;
  for (const T& value : values) {
    if (!text.empty()) text += ' ';
    text += text_of_element(value);
  }
  return text;
}

template <class T>
Result<T> read_element(const Token& token) {
  if constexpr (std::is_same_v<T, std::string>) {
    if (token.kind != Token::Kind::String) return expected("a string in quotes", token);
    return unquote(token.text);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!token.is_word("true") && !token.is_word("false")) {
      return expected("true or false", token);
    }
    return token.text == "true";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return read_number<T>(token);
  } else {
    HONE_TRY(const float value, read_number<float>(token));
    return T(value);
  }
}

// Infinity stays infinity where the format has one; Float8's constructor would saturate it.
template <const Float8Format& kFormat>
Result<Float8<kFormat>> read_float8(const Token& token) {
  HONE_TRY(const float value, read_number<float>(token));
  Float8<kFormat> result;
  result.bits = f32_to_f8(value, kFormat, false);
  return result;
}
template <>
Result<Float8E4M3FN> read_element<Float8E4M3FN>(const Token& token) {
  return read_float8<kE4M3FN>(token);
}
template <>
Result<Float8E4M3FNUZ> read_element<Float8E4M3FNUZ>(const Token& token) {
  return read_float8<kE4M3FNUZ>(token);
}
template <>
Result<Float8E5M2> read_element<Float8E5M2>(const Token& token) {
  return read_float8<kE5M2>(token);
}
template <>
Result<Float8E5M2FNUZ> read_element<Float8E5M2FNUZ>(const Token& token) {
  return read_float8<kE5M2FNUZ>(token);
}

Result<int8_t> read_small_integer(const Token& token, DType dtype) {
  HONE_TRY(const int8_t value, read_number<int8_t>(token));
  const int values = 1 << bits_of(dtype);
  const int low = dtype == DType::I2 || dtype == DType::I4 ? -values / 2 : 0;
  if (value >= low && value < low + values) return value;
  return expected(str("an integer from ", low, " to ", low + values - 1), token);
}

Result<int8_t> read_small_float(const Token& token) {
  HONE_TRY(const float value, read_number<float>(token));
  return static_cast<int8_t>(f32_to_f4(value));
}

Result<Tensor> read_small(const TensorType& type, std::span<const Token> elements) {
  std::vector<int8_t> values;
  for (const Token& token : elements) {
    HONE_TRY(const int8_t value, type.dtype == DType::F4E2M1
                                     ? read_small_float(token)
                                     : read_small_integer(token, type.dtype));
    values.push_back(value);
  }
  return pack_small(type, values);
}

template <class Fn>
auto dispatch_every(DType dtype, Fn&& fn) {
  return dispatch<float, double, Half, BFloat16, Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2,
                  Float8E5M2FNUZ, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                  uint64_t, bool, std::string>(dtype, std::forward<Fn>(fn));
}

}  // namespace

std::string text_of_elements(const Tensor& tensor) {
  if (tensor.dtype() == DType::F4E2M1) {
    const std::vector<double> values = to_doubles(tensor);
    return text_of_all<double>(values);
  }
  if (is_small(tensor.dtype())) {
    const std::vector<int8_t> values = unpack_small(tensor);
    return text_of_all<int8_t>(values);
  }
  return dispatch_every(tensor.dtype(), [&](auto tag) {
    return text_of_all(tensor.data<typename decltype(tag)::type>());
  });
}

Result<Tensor> read_elements(const TensorType& type, std::span<const Token> elements, int line) {
  if (static_cast<int64_t>(elements.size()) != type.elements()) {
    return bad_input("line ", line, ": expected ", type.elements(), " elements for ", type,
                     ", found ", elements.size());
  }
  if (is_small(type.dtype)) return read_small(type, elements);
  return dispatch_every(type.dtype, [&](auto tag) -> Result<Tensor> {
    using T = typename decltype(tag)::type;
    Tensor tensor(type);
    const std::span<T> values = tensor.mutable_data<T>();
    for (size_t i = 0; i < values.size(); ++i) {
      HONE_TRY(values[i], read_element<T>(elements[i]));
    }
    return tensor;
  });
}

std::string text_of_float(float value) {
  return shortest(value);
}

std::string text_of_double(double value) {
  std::string text = shortest(value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

bool looks_like_float(const Token& token) {
  if (token.kind == Token::Kind::Word) return token.text == "inf" || token.text == "nan";
  return token.kind == Token::Kind::Number &&
         token.text.find_first_of(".en") != std::string_view::npos;
}

template <class T>
Result<T> read_number(const Token& token) {
  constexpr bool kIsFloat = std::is_floating_point_v<T>;
  T value = 0;
  if (token.kind == Token::Kind::Number || (kIsFloat && looks_like_float(token))) {
    const char* end = token.text.data() + token.text.size();
    const auto [stop, error] = std::from_chars(token.text.data(), end, value);
    if (error == std::errc() && stop == end) return value;
  }
  return expected(str(kIsFloat ? "a number that fits " : "an integer that fits ", kDTypeOf<T>),
                  token);
}

template Result<int8_t> read_number(const Token& token);
template Result<int16_t> read_number(const Token& token);
template Result<int32_t> read_number(const Token& token);
template Result<int64_t> read_number(const Token& token);
template Result<uint8_t> read_number(const Token& token);
template Result<uint16_t> read_number(const Token& token);
template Result<uint32_t> read_number(const Token& token);
template Result<uint64_t> read_number(const Token& token);
template Result<float> read_number(const Token& token);
template Result<double> read_number(const Token& token);

}  // namespace hone
