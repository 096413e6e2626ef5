// A function of 8-bit codes as C for a Hexagon DSP: a table that vlut32 looks 128 bytes up in at a time, with plain C
// in its place on other machines, and a program that tests every code.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "hone/quantize/activation/quantized_function.h"

namespace hone {

// Unsupported where codes have 16 bits, of which there is no table.
Status check_hvx_types(const CodeType& in, const CodeType& out);

// Whether the code of emit_hvx has another meaning for a function's name: a variable, a macro, a type of vectors.
bool is_taken_in_hvx(std::string_view name);

// `run` has the result of every code of `in`. `name` is that of the C function; `about` goes into the comment at the top.
// Of types that check_hvx_types took.
std::string emit_hvx(const std::function<int32_t(int32_t)>& run, const CodeType& in,
                     const CodeType& out, const std::string& name, const std::string& about);

}  // namespace hone
