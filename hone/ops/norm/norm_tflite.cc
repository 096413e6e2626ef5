#include "hone/ops/norm/norm_tflite.h"

#include "hone/ops/tflite_import.h"

namespace hone {
namespace {

Status check_float(const TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  const TensorType& x = in.in_type(0);
  if (x.dtype != DType::F32) return unsupported("elements of ", x.dtype, ", expected f32");
  if (!x.ranked || x.rank() < 1) return bad_input("the input is ", x, ", expected an axis");
  return Done{};
}

}  // namespace

// x / max(|x|, 1e-6) along the last axis. Floats are left to operators that ONNX has too.
Status import_l2_normalization(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  if (in.in_type(0).quantized()) {
    HONE_TRY(const std::string fused, in.activation());
    if (!fused.empty()) return unsupported("a fused ", fused, " on quantized values");
    in.finish("l2_normalize", {in.in(0)});
    return Done{};
  }
  HONE_RETURN_IF_ERROR(check_float(in));
  HONE_TRY(std::string activation, in.activation());
  TensorType type = in.out_type(0);
  if (type.shape.empty()) return bad_input("the output is ", type, ", expected an axis");
  type.shape.back() = 1;
  Value* axis = in.add_constant(Tensor::of_ints({-1}));
  Value* norm = in.add("reduce_l2", {in.in(0), axis}, type, {{"keepdims", int64_t{1}}});
  Value* limited = in.add("max", {norm, in.add_constant(Tensor::scalar(1e-6f))}, type);
  in.finish("div", {in.in(0), limited}, {{"activation", std::move(activation)}});
  return Done{};
}

// x * (bias + alpha * sum of squares)^-beta over `radius` channels on both sides; Hone's alpha is
// divided by the number of them.
Status import_local_response_normalization(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(check_float(in));
  const int64_t radius = in.option<int64_t>("radius", 0);
  if (radius < 0 || radius > 1 << 20) return bad_input("a radius of ", radius);
  const int64_t size = 2 * radius + 1;
  in.finish("lrn", {in.in(0)},
            {{"alpha", in.option<double>("alpha", 0) * static_cast<double>(size)},
             {"beta", in.option<double>("beta", 0)},
             {"bias", in.option<double>("bias", 0)},
             {"layout", std::string("nhwc")},
             {"size", size}});
  return Done{};
}

}  // namespace hone
