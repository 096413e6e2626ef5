// What `hone lut` found out: a function as a table or as pieces, and how near it comes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "hone/quantize/activation/lookup_table.h"
#include "hone/quantize/activation/pieces.h"

namespace hone {

struct CompiledFunction {
  std::string expression = {};
  std::string kind = {};     // "lut", "pwl", "poly".
  std::string made_of = {};  // "256 entries".
  size_t bytes = 0;          // Of tables.
  CodeError error = {};
  double worst_x = 0;    // That the worst code stands for.
  double max_error = 0;  // That was asked for.
  nlohmann::ordered_json implementation = {};

  bool holds() const { return error.worst <= max_error; }
};

// "256 entries", "5 straight lines".
std::string describe(const LookupTable& table);
std::string describe(const PiecewiseFunction& pieces);
nlohmann::ordered_json implementation_json(const LookupTable& table);
nlohmann::ordered_json implementation_json(const PiecewiseFunction& pieces);

std::string function_text(const CompiledFunction& function);
// What stands under "results" of a result file.
nlohmann::ordered_json function_to_json(const CompiledFunction& function);

}  // namespace hone
