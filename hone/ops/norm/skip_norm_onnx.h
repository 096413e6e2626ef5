// Import rules of ONNX Runtime's normalizations of sums.
#pragma once

#include "hone/ops/onnx_import.h"

namespace hone {

Status import_skip_layer_norm(OnnxImport& in);
Status import_skip_rms_norm(OnnxImport& in);
Status import_embed_layer_norm(OnnxImport& in);

}  // namespace hone
