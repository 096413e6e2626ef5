#pragma once

#include "hone/base/result.h"
#include "hone/model/load.h"
#include "hone/wire/onnx.h"

namespace hone {

// The model as its reader would have it: from the bytes that it would be written as.
Result<Model> read_back(const OnnxModel& model);

// Reads the bytes that the model would be written as, and holds what is read to it: every operator
// is known and has the inputs and attributes it needs, and every value is of the type that the
// model states for it. The error names the first node or value that is not so.
Status check_onnx(const OnnxModel& model);

}  // namespace hone
