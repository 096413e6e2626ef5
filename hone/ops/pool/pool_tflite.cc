#include "hone/ops/pool/pool_tflite.h"

#include "hone/ops/tflite_import.h"

namespace hone {
namespace {

Result<Attrs> pool_attrs(const TfliteImport& in) {
  HONE_TRY(std::string activation, in.activation());
  const TensorType& x = in.in_type(0);
  if (!x.ranked || x.rank() != 4) return bad_input("the input is ", x, ", expected rank 4");
  const bool same = in.option<std::string>("padding", "SAME") == "SAME";
  return Attrs{
      {"activation", std::move(activation)},
      {"auto_pad", std::string(same ? "SAME_UPPER" : "VALID")},
      {"kernel_shape",
       Ints{in.option<int64_t>("filter_height", 1), in.option<int64_t>("filter_width", 1)}},
      {"layout", std::string("nhwc")},
      {"strides", Ints{in.option<int64_t>("stride_h", 1), in.option<int64_t>("stride_w", 1)}}};
}

Status import_pool(TfliteImport& in, std::string_view op_name) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  HONE_TRY(Attrs attrs, pool_attrs(in));
  in.finish(op_name, {in.in(0)}, std::move(attrs));
  return Done{};
}

}  // namespace

Status import_average_pool_2d(TfliteImport& in) {
  return import_pool(in, "average_pool");
}

// The root of the mean of squares.
Status import_l2_pool_2d(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  if (in.in_type(0).dtype != DType::F32) return unsupported("elements of ", in.in_type(0).dtype);
  HONE_TRY(const std::string activation, in.activation());
  if (!activation.empty()) return unsupported("a fused ", activation);
  HONE_TRY(Attrs attrs, pool_attrs(in));
  Value* squares = in.add("mul", {in.in(0), in.in(0)}, in.in_type(0));
  Value* means = in.add("average_pool", {squares}, in.out_type(0), std::move(attrs));
  in.finish("sqrt", {means});
  return Done{};
}

Status import_max_pool_2d(TfliteImport& in) {
  return import_pool(in, "max_pool");
}

}  // namespace hone
