// Import rules of ONNX Runtime's attention.
#pragma once

#include "hone/ops/onnx_import.h"

namespace hone {

Status import_multi_head_attention(OnnxImport& in);
Status import_packed_attention(OnnxImport& in);

}  // namespace hone
