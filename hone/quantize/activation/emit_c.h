// Tables and pieces as C, for firmware: one function, no library.
#pragma once

#include <string>

#include "hone/quantize/activation/lookup_table.h"
#include "hone/quantize/activation/pieces.h"

namespace hone {

// `name` is that of the C function; `about` goes into the comment at the top.
std::string emit_c(const LookupTable& table, const std::string& name, const std::string& about);
std::string emit_c(const PiecewiseFunction& pieces, const std::string& name,
                   const std::string& about);

}  // namespace hone
