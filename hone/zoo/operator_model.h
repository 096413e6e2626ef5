// One operator as a model: "matmul:4096x4096x4096:fp16" behind "op:". Its inputs are the graph's,
// so are they of a program that calls a library; what layers keep (weights, biases) is constant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/graph/graph.h"

namespace hone {

inline constexpr std::string_view kOperatorTypes[] = {"fp32", "fp16", "int8"};

struct OperatorModel {
  Graph graph;             // Of float16 for fp16, otherwise of float32:
  bool quantized = false;  // whoever opens an int8 one has it quantized.
};

// `text` is KIND:SHAPE[:MORE][:TYPE], without "op:". BadInput says what is wrong and how the kind is
// spelled.
Result<OperatorModel> build_operator(std::string_view text, uint64_t seed = 0);

// The same operator on so many times as much: as many products, images or rows in one run. Requires
// a text that build_operator takes.
std::string batched_operator(std::string_view text, int64_t batch);

// How operators with a spelling of their own are named.
struct OperatorForm {
  std::string_view kind;      // "conv2d"
  std::string_view spelling;  // "NxCxHxW:kKsS:O"
  std::string_view example;   // "1x64x56x56:k3s1:128"
  std::string_view summary;   // One sentence.
};
std::vector<OperatorForm> operator_forms();

// Of kOperatorTypes, those that an operator of its form has.
std::vector<std::string_view> operator_types(std::string_view kind);

// Those that a shape is enough for: all inputs have it, the other settings are the operator's
// defaults. In alphabetical order.
std::vector<std::string> operators_of_a_shape();

}  // namespace hone
