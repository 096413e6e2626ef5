// One node to try an operator on, as its definition lists it (OpDef::cases), in the words of the
// graph's text form:
//
//   (f32[1,4,6,6], const f32[8,4,3,3], _) pads=[1,1,1,1]
//   i8[1,2]<0.5:0>, i8[1,2]<0.5:0> = (i8[1,4]<0.5:0>) axis=1
//
// A type alone is an input; `const` before it makes a constant of numbers that are the same every
// time; a literal (`i64[2]{1 0}`) is itself and `_` is left out. Results are named by their types
// where there are several or their types carry a scale, and `?` is a type to be inferred.
#pragma once

#include <string_view>

#include "hone/base/result.h"
#include "hone/graph/graph.h"

namespace hone {

// A graph of that one node, with its types inferred. BadInput tells what is wrong with the text.
Result<Graph> graph_of_case(std::string_view op, std::string_view text);

}  // namespace hone
