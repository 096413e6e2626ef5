// average_pool(x)[n, c, p] = the mean of x under the window at p. Padding counts as zeros only with
// count_include_pad; what a window covers beyond the padding, as it may with ceil_mode, never
// counts.

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/ops/pool/pool_quantized.h"
#include "hone/ops/pool/pool_tflite.h"
#include "hone/ops/quant/integer.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_average_pool(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_activation(in));
  HONE_RETURN_IF_ERROR(check_pool_quantized(in, kFloat));
  HONE_TRY(const TensorType type, pool_type(in));
  return std::vector<ValueType>{type};
}

Status eval_float(EvalContext& in) {
  HONE_TRY(const PoolGeometry pool, pool_geometry(in, in.in(0).shape()));
  const bool count_padding = in.integer("count_include_pad") != 0;
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = in.in(0).data<T>().data();
    T* y = in.out().template mutable_data<T>().data();
    for_each_window(pool, [&](const PoolWindow& at) {
      if (at.empty()) return;
      double sum = 0;
      at.each([&](int64_t offset, int64_t, int64_t, int64_t) { sum += Compute<T>(x[offset]); });
      const int64_t count = count_padding ? at.count_with_padding() : at.count();
      y[at.out] = T(static_cast<Compute<T>>(sum / static_cast<double>(count)));
    });
  });
  activate_all(in.out(), in);
  return Done{};
}

Status eval_average_pool(EvalContext& in) {
  if (!in.in(0).type().quantized()) return eval_float(in);
  HONE_TRY(const PoolGeometry pool, pool_geometry(in, in.in(0).shape()));
  return eval_average_pool_quantized(in, pool);
}

}  // namespace

extern const OpDef op_average_pool = {
    .name = "average_pool",
    .summary = "Mean of the elements under a sliding window.",
    .kind = OpKind::Pool,
    .integers = IntegerForm::SameScale,
    .half = true,
    .inputs = {{"x", kFloat | kQuantized}},
    .attrs = {{"auto_pad", std::string("NOTSET")},
              {"ceil_mode", int64_t{0}},
              {"count_include_pad", int64_t{0}},
              {"dilations", Ints{}},
              {"kernel_shape", Ints{}, kRequired},
              {"pads", Ints{}},
              {"strides", Ints{}},
              activation_attr(),
              activation_params_attr(),
              layout_attr()},
    .quantized = true,
    .infer = infer_average_pool,
    .cost = pool_cost,
    .eval = eval_average_pool,
    .onnx = {{"AveragePool"}},
    .tflite = {{"AVERAGE_POOL_2D", import_average_pool_2d}, {"L2_POOL_2D", import_l2_pool_2d}},
    .cases = {"(f32[1,3,6,6]) kernel_shape=[2,2] strides=[2,2]",
              "(f32[1,3,5,5]) kernel_shape=[3,3] pads=[1,1,1,1]",
              "(f32[1,3,5,5]) kernel_shape=[3,3] pads=[1,1,1,1] count_include_pad=1",
              "i8[1,2,2,3]<0.5:1> = (i8[1,4,4,3]<0.5:1>) kernel_shape=[2,2] strides=[2,2] "
              "layout=\"nhwc\""},
};

}  // namespace hone
