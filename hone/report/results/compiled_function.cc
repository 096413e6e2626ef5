#include "hone/report/results/compiled_function.h"

#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {

using Json = nlohmann::ordered_json;

std::string describe(const LookupTable& table) {
  return str(table.entries.size(), " entries",
             table.step_bits > 0 ? ", straight lines between them" : "");
}

std::string describe(const PiecewiseFunction& pieces) {
  return str(pieces.pieces.size(), pieces.degree == 2 ? " parabolas" : " straight lines");
}

Json implementation_json(const LookupTable& table) {
  return {{"step_bits", table.step_bits}, {"entries", table.entries}};
}

Json implementation_json(const PiecewiseFunction& pieces) {
  Json list = Json::array();
  for (const Piece& piece : pieces.pieces) {
    list.push_back({{"first", piece.first}, {"a", piece.a}, {"b", piece.b}, {"c", piece.c}});
  }
  return {
      {"shift", pieces.shift}, {"square_bits", pieces.square_bits}, {"pieces", std::move(list)}};
}

std::string function_text(const CompiledFunction& function) {
  const CodeError& error = function.error;
  return str(function.expression, "  ", function.made_of, ", ", human_bytes(function.bytes),
             "\nworst error ", fixed(error.worst, 3), " units of the last place, at code ",
             error.worst_at, " (x = ", function.worst_x, "); mean ", fixed(error.mean, 4),
             "; checked at all ", error.codes, " codes\n");
}

Json function_to_json(const CompiledFunction& function) {
  return {{"expression", function.expression},
          {"kind", function.kind},
          {"bytes", function.bytes},
          {"worst_error_lsb", function.error.worst},
          {"worst_at_code", function.error.worst_at},
          {"mean_error_lsb", function.error.mean},
          {"codes", function.error.codes},
          {"mode", "exact"},
          {"max_error_lsb", function.max_error},
          {"implementation", function.implementation}};
}

}  // namespace hone
