#pragma once

#include "hone/ops/tflite_import.h"

namespace hone {

// A reduction along the axes that input 1 names: none when it names none.
Status import_reduction(TfliteImport& in, std::string_view op_name);
template <OpName name>
Status import_reduction_as(TfliteImport& in) {
  return import_reduction(in, name.text);
}
// Of booleans: the largest or smallest of them.
Status import_reduce_any(TfliteImport& in);
Status import_reduce_all(TfliteImport& in);

Status import_arg_max(TfliteImport& in);
Status import_arg_min(TfliteImport& in);
Status import_cumsum(TfliteImport& in);
Status import_top_k(TfliteImport& in);

}  // namespace hone
