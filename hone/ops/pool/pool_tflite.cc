#include "hone/ops/pool/pool_tflite.h"

#include "hone/ops/tflite_import.h"

namespace hone {
namespace {

Status import_pool(TfliteImport& in, std::string_view op_name) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  HONE_TRY(std::string activation, in.activation());
  const TensorType& x = in.in_type(0);
  if (!x.ranked || x.rank() != 4) return bad_input("the input is ", x, ", expected rank 4");
  const bool same = in.option<std::string>("padding", "SAME") == "SAME";
  in.finish(
      op_name, {in.in(0)},
      {{"activation", std::move(activation)},
       {"auto_pad", std::string(same ? "SAME_UPPER" : "VALID")},
       {"kernel_shape",
        Ints{in.option<int64_t>("filter_height", 1), in.option<int64_t>("filter_width", 1)}},
       {"layout", std::string("nhwc")},
       {"strides", Ints{in.option<int64_t>("stride_h", 1), in.option<int64_t>("stride_w", 1)}}});
  return Done{};
}

}  // namespace

Status import_average_pool_2d(TfliteImport& in) {
  return import_pool(in, "average_pool");
}

Status import_max_pool_2d(TfliteImport& in) {
  return import_pool(in, "max_pool");
}

}  // namespace hone
