#pragma once

#include "hone/ops/tflite_import.h"

namespace hone {

// A reshape to the shape of `type`, which may have one unknown extent.
Value* add_reshape(TfliteImport& in, Value* value, TensorType type);
// An integer input as int64, which is what Hone's operators take for shapes and axes.
Value* as_i64(TfliteImport& in, Value* value);

Status import_reshape(TfliteImport& in);
Status import_squeeze(TfliteImport& in);
Status import_expand_dims(TfliteImport& in);

}  // namespace hone
