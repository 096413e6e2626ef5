// What the files that write .tflite share; private to them, since it shows flatbuffers.
#pragma once

#include <tflite_generated.h>

#include "hone/base/result.h"
#include "hone/wire/tflite.h"

namespace hone {

// Unsupported when the schema has no such element type.
Result<hone_tflite::TensorType> dtype_to_tflite(DType dtype);

// A table of options in the union of them; NONE and no offset for an operator that has none.
struct TfliteOptionsTable {
  hone_tflite::BuiltinOptions type = hone_tflite::BuiltinOptions::NONE;
  flatbuffers::Offset<void> offset = 0;
};
Result<TfliteOptionsTable> encode_tflite_options(flatbuffers::FlatBufferBuilder& builder,
                                                 const TfliteOp& op);

}  // namespace hone
