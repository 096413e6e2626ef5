// What floats are computed in, where that may be something else than was asked for.
#pragma once

#include <string>
#include <string_view>

#include "hone/targets/target.h"

namespace hone {

// F32 of all but "fp16", "bf16" and "tf32": in a network that was asked for in int8, too, floats are that.
Precision precision_named(std::string_view name);

// Of floats on `target` where `asked` is wanted.
Precision computed_precision(std::string_view target, Precision asked);

// "this CPU has no bf16 arithmetic: floats are computed in fp32"; empty where it is as asked.
std::string why_computed_otherwise(std::string_view target, Precision asked);

// Of the products of a program: "int8", "fp32", or both.
std::string products_precision(const Program& program, Precision floats);

}  // namespace hone
