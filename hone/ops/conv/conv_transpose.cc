// conv_transpose(x, w, b)[n, o, p] = b[o] + sum over channels c of the group, input pixels i and
// taps
//     t with i * strides + t * dilations - pads == p of x[n, c, i] * w[c, o, t].
// nchw: w is [input channels, output channels / group, t]; nhwc: x is [n, i, c] and w is
// [output channels, t, input channels / group], as in TFLite.

#include "hone/ops/common.h"
#include "hone/ops/conv/conv_quantized.h"
#include "hone/ops/conv/conv_tflite.h"
#include "hone/ops/conv/convolve.h"
#include "hone/ops/conv/convolve_transposed.h"
#include "hone/ops/matmul/compute_view.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/weighted.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_conv_transpose(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_activation(in));
  // In nchw the output channels of one group share an index, so that only one group can be scaled.
  const bool nchw = in.text("layout") == "nchw";
  HONE_RETURN_IF_ERROR(check_weighted(in, kFloat, nchw ? 1 : 0));
  if (nchw && in.type(1).quantized() && !in.type(1).quant->per_tensor() &&
      in.integer("group") != 1) {
    return unsupported("weights quantized per channel with several groups");
  }
  HONE_TRY(const TensorType type, conv_type(in, conv_transpose_geometry, in.dtype(0), 0, 1, 2));
  return std::vector<ValueType>{type};
}

Cost cost_conv_transpose(const InferContext& in) {
  if (!in.type(0).ranked || !in.type(1).ranked) return {};
  const auto conv = conv_transpose_geometry(in, in.type(0).shape, in.type(1).shape);
  if (!conv.ok() || !conv->known()) return {};
  return {.macs = conv->macs(), .flops = 0};
}

Status eval_float_conv_transpose(EvalContext& in) {
  HONE_TRY(const ConvGeometry conv,
           conv_transpose_geometry(in, in.in(0).shape(), in.in(1).shape()));
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const ComputeInput<T> x(in.in(0));
    const ComputeInput<T> w(in.in(1));
    ComputeOutput<T> y(in.out());
    convolve_transposed(conv, x.data(), w.data(), y.data());
    if (in.has(2)) add_bias(conv, ComputeInput<T>(in.in(2)).data(), y.data());
    y.store();
  });
  activate_all(in.out(), in);
  return Done{};
}

Status eval_conv_transpose(EvalContext& in) {
  if (is_hybrid(in) && in.options().expand_hybrid_weights)
    return eval_expanded(in, eval_float_conv_transpose);
  if (!in.in(1).type().quantized()) return eval_float_conv_transpose(in);
  HONE_TRY(const ConvGeometry conv,
           conv_transpose_geometry(in, in.in(0).shape(), in.in(1).shape()));
  return is_hybrid(in) ? eval_conv_hybrid(in, conv) : eval_conv_integer(in, conv);
}

}  // namespace

extern const OpDef op_conv_transpose = {
    .name = "conv_transpose",
    .summary = "Transposed convolution over 1 to 3 spatial axes.",
    .kind = OpKind::Product,
    .half = true,
    .inputs = {{"x", kFloat | kQuantized},
               {"w", kFloat | kIntegerWeights},
               {"b", kFloat | kIntegerBias, 0, kOptional}},
    .attrs = {{"auto_pad", std::string("NOTSET")},
              {"dilations", Ints{}},
              {"group", int64_t{1}},
              {"kernel_shape", Ints{}},
              {"output_padding", Ints{}},
              {"output_shape", Ints{}},
              {"pads", Ints{}},
              {"strides", Ints{}},
              activation_attr(),
              activation_params_attr(),
              layout_attr()},
    .quantized = true,
    .infer = infer_conv_transpose,
    .cost = cost_conv_transpose,
    .eval = eval_conv_transpose,
    .onnx = {{"ConvTranspose"}},
    .tflite = {{"TRANSPOSE_CONV", import_transpose_conv},
               {"Convolution2DTransposeBias", import_transpose_conv_bias}},
    .cases = {"(f32[1,4,5,5], const f32[4,6,3,3], const f32[6]) strides=[2,2]",
              "(f32[1,4,5,5], const f32[4,3,2,2]) group=2 strides=[2,2]",
              "(f32[1,4,5], const f32[4,2,3]) pads=[1,1]"},
};

}  // namespace hone
