// conv(x, w, b)[n, o, p] = b[o] + sum over channels c of the group and taps t of
//     x[n, c, p * strides + t * dilations - pads] * w[o, c, t], which is zero outside x.
// nhwc: x is [n, p, c] and w is [o, t, c]. A residual is added before the activation.

#include "hone/ops/common.h"
#include "hone/ops/conv/causal_conv_onnx.h"
#include "hone/ops/conv/conv_quantized.h"
#include "hone/ops/conv/conv_tflite.h"
#include "hone/ops/conv/convolve.h"
#include "hone/ops/matmul/compute_view.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/weighted.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr size_t kResidual = 3;

Result<std::vector<ValueType>> infer_conv(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_activation(in));
  HONE_RETURN_IF_ERROR(check_weighted(in, kFloat, 0));
  HONE_TRY(const TensorType type, conv_type(in, conv_geometry, in.dtype(0), 0, 1, 2));
  HONE_RETURN_IF_ERROR(check_residual(in, kResidual, type));
  return std::vector<ValueType>{type};
}

Cost cost_conv(const InferContext& in) {
  if (!in.type(0).ranked || !in.type(1).ranked) return {};
  const auto conv = conv_geometry(in, in.type(0).shape, in.type(1).shape);
  if (!conv.ok() || !conv->known()) return {};
  return {.macs = conv->macs(), .flops = 0};
}

Status eval_float_conv(EvalContext& in) {
  HONE_TRY(const ConvGeometry conv, conv_geometry(in, in.in(0).shape(), in.in(1).shape()));
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const ComputeInput<T> x(in.in(0));
    const ComputeInput<T> w(in.in(1));
    ComputeOutput<T> y(in.out());
    convolve(conv, x.data(), w.data(), y.data());
    if (in.has(2)) add_bias(conv, ComputeInput<T>(in.in(2)).data(), y.data());
    if (in.has(kResidual)) y.add(in.in(kResidual));
    y.store();
  });
  activate_all(in.out(), in);
  return Done{};
}

Status eval_conv(EvalContext& in) {
  if (is_hybrid(in) && in.options().expand_hybrid_weights)
    return eval_expanded(in, eval_float_conv);
  if (!in.in(1).type().quantized()) return eval_float_conv(in);
  HONE_TRY(const ConvGeometry conv, conv_geometry(in, in.in(0).shape(), in.in(1).shape()));
  return is_hybrid(in) ? eval_conv_hybrid(in, conv) : eval_conv_integer(in, conv);
}

// ONNX has no residual.
Status upgrade_conv(OnnxImport& in) {
  if (in.inputs.size() <= kResidual) return Done{};
  return bad_input("has ", in.inputs.size(), " inputs, expected at most ", kResidual);
}

}  // namespace

extern const OpDef op_conv = {
    .name = "conv",
    .summary = "Convolution over 1 to 3 spatial axes, grouped or depthwise.",
    .kind = OpKind::Product,
    .integers = IntegerForm::Weights,
    .half = true,
    .inputs = {{"x", kFloat | kQuantized},
               {"w", kFloat | kIntegerWeights},
               {"b", kFloat | kIntegerBias, 0, kOptional},
               {"residual", kFloat, 0, kOptional}},
    .attrs = {{"auto_pad", std::string("NOTSET")},
              {"dilations", Ints{}},
              {"group", int64_t{1}},
              {"kernel_shape", Ints{}},
              {"pads", Ints{}},
              {"strides", Ints{}},
              activation_attr(),
              activation_params_attr(),
              layout_attr()},
    .quantized = true,
    .infer = infer_conv,
    .cost = cost_conv,
    .eval = eval_conv,
    .onnx = {{"Conv", upgrade_conv}, {"CausalConvWithState", import_causal_conv}},
    .tflite = {{"CONV_2D", import_conv_2d},
               {"CONV_3D", import_conv_3d},
               {"DEPTHWISE_CONV_2D", import_depthwise_conv_2d}},
    .cases =
        {"(f32[1,4,6,6], const f32[8,4,3,3], const f32[8]) pads=[1,1,1,1]",
         "(f32[2,16,9,7], const f32[24,16,3,3]) strides=[2,2]",
         "(f32[1,8,5,5], const f32[8,1,3,3], const f32[8]) group=8 pads=[1,1,1,1]",
         "(f32[1,12,4,4], const f32[16,12,1,1], const f32[16])",
         "(f32[1,6,6,4], const f32[8,3,3,4], const f32[8]) layout=\"nhwc\" activation=\"relu6\"",
         "(f32[1,4,9], const f32[6,2,3]) group=2 dilations=[2]",
         "i8[1,6,6,8]<0.5:-3> = (i8[1,6,6,4]<0.1:5>, const i8[8,1,1,4]<0.05:0>, const i32[8]) "
         "layout=\"nhwc\"",
         "i8[1,6,6,4]<0.5:-3> = (i8[1,6,6,4]<0.1:5>, const i8[4,3,3,1]<0.05:0>, const i32[4]) "
         "layout=\"nhwc\" group=4 pads=[1,1,1,1]"},
};

}  // namespace hone
