// What kernels on quantized tensors share.
#pragma once

#include "hone/ops/quant/integer.h"
#include "hone/targets/cuda/lowering.h"

namespace hone::cuda {

// A quantized tensor with one scale whose elements kernels can count: of bytes; of bytes or 16 bits.
bool is_byte_tensor(const Value* value, const StepBuilder& builder);
bool is_integer_tensor(const Value* value, const StepBuilder& builder);

// Of integers.cu: "i8", "u8", "i16".
std::string_view integer_name(DType dtype);

// Sets ROUNDING.
SourceMaker& define_rounding(SourceMaker& source, const StepBuilder& builder);

// "m, s": the two numbers of a factor as arguments.
std::string factor_text(FixedPoint factor);
// "zero, low, high".
std::string place_text(int32_t zero, IntRange range);

// Where the output of a node is cut, unless its activation is one that integers do not have.
std::optional<IntRange> range_of_output(const Node& node);

}  // namespace hone::cuda
