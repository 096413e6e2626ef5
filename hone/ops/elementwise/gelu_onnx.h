// Import rules of ONNX Runtime's activations.
#pragma once

#include "hone/ops/onnx_import.h"

namespace hone {

Status import_fast_gelu(OnnxImport& in);
Status import_bias_gelu(OnnxImport& in);
Status import_quick_gelu(OnnxImport& in);

}  // namespace hone
