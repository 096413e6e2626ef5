// Numbers and elements of tensors in the graph's text form. What is written reads back as the same
// bits, except that all NaNs are one.
#pragma once

#include <span>
#include <string>

#include "hone/base/result.h"
#include "hone/graph/lexer.h"
#include "hone/tensor/tensor.h"

namespace hone {

// "1 -0.5 inf", "true false", "\"a\" \"b\"".
std::string text_of_elements(const Tensor& tensor);
// Requires a known type. BadInput unless there are as many as it has elements, all of its type.
Result<Tensor> read_elements(const TensorType& type, std::span<const Token> elements, int line);

// The shortest text that reads back; a double always has '.', 'e', "inf" or "nan" in it.
std::string text_of_float(float value);
std::string text_of_double(double value);
// True when a Number or Word token is written as a float is: "1.0", "1e3", "-inf", "nan".
bool looks_like_float(const Token& token);

// int32_t, int64_t, float, double.
template <class T>
Result<T> read_number(const Token& token);

}  // namespace hone
