#include "hone/quantize/activation/lookup_table.h"

#include <algorithm>

namespace hone {
namespace {

constexpr int kFewestBits = 4;  // 2^4 + 1 entries; each try doubles them.
constexpr int kMostBits = 12;

LookupTable every_code(const QuantizedFunction& function) {
  LookupTable table{function.in(), function.out(), 0, {}};
  for (int32_t code = table.in.first(); code <= table.in.last(); ++code) {
    table.entries.push_back(function.rounded(code));
  }
  return table;
}

// The last entry stands for the code behind the last one, which has none: it continues the line.
LookupTable every_step(const QuantizedFunction& function, int step_bits) {
  LookupTable table{function.in(), function.out(), step_bits, {}};
  const int32_t step = 1 << step_bits;
  for (int32_t code = table.in.first(); code <= table.in.last(); code += step) {
    table.entries.push_back(function.rounded(code));
  }
  const double end = function.exact(table.in.last());
  table.entries.push_back(static_cast<int32_t>(std::lround(end)));
  return table;
}

}  // namespace

int32_t LookupTable::operator()(int32_t code) const {
  const auto offset = static_cast<uint32_t>(code - in.first());
  const size_t entry = offset >> step_bits;
  if (step_bits == 0) return entries[entry];
  const auto part = static_cast<int32_t>(offset & ((1u << step_bits) - 1));
  const int32_t rise = entries[entry + 1] - entries[entry];
  return entries[entry] + ((rise * part + (1 << (step_bits - 1))) >> step_bits);
}

Result<LookupTable> make_lookup_table(const QuantizedFunction& function, double max_error) {
  if (function.in().dtype != DType::I16) return every_code(function);
  double best = 0;
  for (int bits = kFewestBits; bits <= kMostBits; ++bits) {
    LookupTable table = every_step(function, 16 - bits);
    best = check_every_code(function, table).worst;
    if (best <= max_error) return table;
  }
  return unsupported("a table of ", (1 << kMostBits) + 1, " entries is up to ", best,
                     " units of the last place off, more than ", max_error);
}

}  // namespace hone
