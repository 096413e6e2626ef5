// The import rule of CausalConvWithState.
#pragma once

#include "hone/ops/onnx_import.h"

namespace hone {

Status import_causal_conv(OnnxImport& in);

}  // namespace hone
