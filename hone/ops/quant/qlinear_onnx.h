// Import rules of ONNX Runtime's quantized operators: each is a float operator between
// DequantizeLinear and QuantizeLinear, which passes turn into integers.
#pragma once

#include "hone/ops/onnx_import.h"

namespace hone {

Status import_qlinear_add(OnnxImport& in);
Status import_qlinear_mul(OnnxImport& in);
Status import_qlinear_sigmoid(OnnxImport& in);
Status import_qlinear_leaky_relu(OnnxImport& in);
Status import_qlinear_softmax(OnnxImport& in);
Status import_qlinear_average_pool(OnnxImport& in);
Status import_qlinear_global_average_pool(OnnxImport& in);
Status import_qlinear_concat(OnnxImport& in);
Status import_qgemm(OnnxImport& in);

}  // namespace hone
