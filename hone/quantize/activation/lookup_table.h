// Functions as tables of codes.
#pragma once

#include "hone/quantize/activation/quantized_function.h"

namespace hone {

// An entry for every code of an 8-bit input, or, for 16 bits, 2^n + 1 entries with straight lines
// between them.
struct LookupTable {
  CodeType in = {};
  CodeType out = {};
  int step_bits = 0;  // Codes from one entry to the next: 1 << step_bits.
  std::vector<int32_t> entries;

  // As the emitted code computes it.
  int32_t operator()(int32_t code) const;
};

// The smallest table whose worst error is at most `max_error` units of the last place. For 8-bit
// inputs there is one table, of 256 entries, and nothing is nearer. Unsupported when 4097 entries
// do not do.
Result<LookupTable> make_lookup_table(const QuantizedFunction& function, double max_error);

}  // namespace hone
