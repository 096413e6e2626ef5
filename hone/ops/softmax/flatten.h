#pragma once

#include "hone/ops/onnx_import.h"

namespace hone {

// Before opset 13 softmax and its kin saw their input as a matrix [extents before axis, the rest]
// and worked on its rows. Import rule for all of them.
Status flatten_before_opset_13(OnnxImport& in);

}  // namespace hone
