// Import rules of elementwise operators that are more than another name.
#pragma once

#include "hone/ops/tflite_import.h"

namespace hone {

Status import_relu(TfliteImport& in);
Status import_relu6(TfliteImport& in);
Status import_relu_n1_to_1(TfliteImport& in);
Status import_relu_0_to_1(TfliteImport& in);
Status import_leaky_relu(TfliteImport& in);
Status import_gelu(TfliteImport& in);
Status import_cast(TfliteImport& in);
Status import_rsqrt(TfliteImport& in);
Status import_square(TfliteImport& in);
Status import_squared_difference(TfliteImport& in);
Status import_floor_div(TfliteImport& in);
Status import_floor_mod(TfliteImport& in);
Status import_not_equal(TfliteImport& in);
Status import_select(TfliteImport& in);
Status import_add_n(TfliteImport& in);

}  // namespace hone
