// Activation functions of one float, most of them with parameters: y[i] = f(x[i]).

#include <algorithm>
#include <cmath>

#include "hone/ops/elementwise/activation_quantized.h"
#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/elementwise/elementwise_tflite.h"
#include "hone/ops/elementwise/gelu_onnx.h"
#include "hone/ops/elementwise/table_quantized.h"
#include "hone/ops/quant/integer.h"

namespace hone {
namespace {

template <class T>
T sigmoid(T x) {
  // exp of a negative number never overflows.
  const T e = std::exp(-std::fabs(x));
  return x >= 0 ? T(1) / (T(1) + e) : e / (T(1) + e);
}

template <class T>
T softplus(T x) {
  return std::log1p(std::exp(-std::fabs(x))) + std::max(x, T(0));
}

// A function is made from the node, which gives its parameters, and applied to float and double.
struct Sigmoid {
  explicit Sigmoid(const NodeContext&) {}
  template <class T>
  T operator()(T x) const {
    return is_nan(x) ? x : sigmoid(x);
  }
};

struct Tanh {
  explicit Tanh(const NodeContext&) {}
  template <class T>
  T operator()(T x) const {
    return std::tanh(x);
  }
};

struct Mish {
  explicit Mish(const NodeContext&) {}
  template <class T>
  T operator()(T x) const {
    return x * std::tanh(softplus(x));
  }
};

struct ActivationHardSwish {
  explicit ActivationHardSwish(const NodeContext&) {}
  template <class T>
  T operator()(T x) const {
    return x * std::clamp(x / T(6) + T(0.5), T(0), T(1));
  }
};

struct HardSigmoid {
  explicit HardSigmoid(const NodeContext& in) : alpha(in.real("alpha")), beta(in.real("beta")) {}
  template <class T>
  T operator()(T x) const {
    return std::clamp(T(alpha) * x + T(beta), T(0), T(1));
  }
  double alpha, beta;
};

struct Swish {
  explicit Swish(const NodeContext& in) : alpha(in.real("alpha")) {}
  template <class T>
  T operator()(T x) const {
    return is_nan(x) ? x : x * sigmoid(T(alpha) * x);
  }
  double alpha;
};

struct LeakyRelu {
  explicit LeakyRelu(const NodeContext& in) : alpha(in.real("alpha")) {}
  template <class T>
  T operator()(T x) const {
    return x < 0 ? T(alpha) * x : x;
  }
  double alpha;
};

struct ThresholdedRelu {
  explicit ThresholdedRelu(const NodeContext& in) : alpha(in.real("alpha")) {}
  template <class T>
  T operator()(T x) const {
    return x <= T(alpha) ? T(0) : x;
  }
  double alpha;
};

struct Elu {
  explicit Elu(const NodeContext& in) : alpha(in.real("alpha")) {}
  template <class T>
  T operator()(T x) const {
    return x < 0 ? T(alpha) * std::expm1(x) : x;
  }
  double alpha;
};

struct Celu {
  explicit Celu(const NodeContext& in) : alpha(in.real("alpha")) {}
  template <class T>
  T operator()(T x) const {
    return x < 0 ? T(alpha) * std::expm1(x / T(alpha)) : x;
  }
  double alpha;
};

struct Selu {
  explicit Selu(const NodeContext& in) : alpha(in.real("alpha")), gamma(in.real("gamma")) {}
  template <class T>
  T operator()(T x) const {
    return T(gamma) * (x < 0 ? T(alpha) * std::expm1(x) : x);
  }
  double alpha, gamma;
};

struct Gelu {
  explicit Gelu(const NodeContext& in) : by_tanh(in.text("approximate") == "tanh") {}
  template <class T>
  T operator()(T x) const {
    if (!by_tanh) return T(0.5) * x * (T(1) + std::erf(x * T(M_SQRT1_2)));
    const T inner = T(M_2_SQRTPI * M_SQRT1_2) * (x + T(0.044715) * x * x * x);
    return T(0.5) * x * (T(1) + std::tanh(inner));
  }
  bool by_tanh;
};

template <class Fn>
Status eval_activation(EvalContext& in) {
  const Fn fn(in);
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto x = in.in(0).data<T>();
    const auto y = in.out().template mutable_data<T>();
    for (size_t i = 0; i < x.size(); ++i) y[i] = T(fn(Compute<T>(x[i])));
  });
  return Done{};
}

// The constants had four decimals at first.
Status upgrade_selu(OnnxImport& in) {
  HONE_RETURN_IF_ERROR(drop_consumed_inputs(in));
  if (in.opset >= 6) return Done{};
  in.attrs.try_emplace("alpha", double{1.6732f});
  in.attrs.try_emplace("gamma", double{1.0507f});
  return Done{};
}

// HardSigmoid's default as ONNX has it, in single precision.
constexpr double kFifth = double{0.2f};

template <class Fn, int64_t flops>
OpDef activation(std::string_view name, std::string_view onnx, std::string_view summary,
                 std::vector<AttrDef> attrs = {}) {
  return {
      .name = name,
      .summary = summary,
      .kind = OpKind::Function,
      .inputs = {{"x", kFloat}},
      .attrs = std::move(attrs),
      .infer = infer_same,
      .cost = cost_per_element<flops>,
      .eval = eval_activation<Fn>,
      .onnx = {{onnx, drop_consumed_inputs}},
      .cases = {"(f32[2,3,5])", "(f32[1,8,4,4])"},
  };
}

Result<std::vector<ValueType>> infer_gelu(const InferContext& in) {
  const std::string& approximate = in.text("approximate");
  if (approximate != "none" && approximate != "tanh") {
    return unsupported("approximate is '", approximate, "', expected none or tanh");
  }
  return infer_quantizable(in);
}

template <class Fn, Status (*eval_quantized)(EvalContext&)>
Status eval_either(EvalContext& in) {
  return in.in(0).type().quantized() ? eval_quantized(in) : eval_activation<Fn>(in);
}

// An activation that TFLite has too, and computes on integers.
template <class Fn, int64_t flops, Status (*eval_quantized)(EvalContext&)>
OpDef quantizable(std::string_view name, std::string_view onnx, TfliteRule tflite,
                  std::string_view summary, std::vector<AttrDef> attrs = {}) {
  OpDef op = activation<Fn, flops>(name, onnx, summary, std::move(attrs));
  op.inputs = {{"x", kFloat | kQuantized}};
  op.quantized = true;
  op.infer = infer_quantizable;
  op.eval = eval_either<Fn, eval_quantized>;
  op.tflite = {tflite};
  return op;
}

}  // namespace

extern const OpDef op_celu = activation<Celu, 4>(
    "celu", "Celu", "x above zero, alpha * (exp(x / alpha) - 1) below.", {{"alpha", 1.0}});
extern const OpDef op_elu = quantizable<Elu, 3, eval_elu_quantized>(
    "elu", "Elu", {"ELU", import_as<"elu">}, "x above zero, alpha * (exp(x) - 1) below.",
    {{"alpha", 1.0}});
extern const OpDef op_hard_sigmoid = with_half(
    activation<HardSigmoid, 4>("hard_sigmoid", "HardSigmoid", "alpha * x + beta limited to [0, 1].",
                               {{"alpha", kFifth}, {"beta", 0.5}}));
extern const OpDef op_hard_swish =
    with_half(quantizable<ActivationHardSwish, 5, eval_hard_swish_quantized>(
        "hard_swish", "HardSwish", {"HARD_SWISH", import_as<"hard_swish">},
        "x * (x / 6 + 0.5 limited to [0, 1])."));
extern const OpDef op_leaky_relu = with_half(quantizable<LeakyRelu, 2, eval_leaky_relu_quantized>(
    "leaky_relu", "LeakyRelu", {"LEAKY_RELU", import_leaky_relu}, "x above zero, alpha * x below.",
    {{"alpha", double{0.01f}}}));
extern const OpDef op_mish = activation<Mish, 5>("mish", "Mish", "x * tanh(softplus(x)).");
extern const OpDef op_sigmoid = with_half(quantizable<Sigmoid, 3, eval_sigmoid_quantized>(
    "sigmoid", "Sigmoid", {"LOGISTIC", import_as<"sigmoid">}, "1 / (1 + exp(-x))."));
extern const OpDef op_swish = {
    .name = "swish",
    .summary = "x * sigmoid(alpha * x).",
    .kind = OpKind::Function,
    .half = true,
    .inputs = {{"x", kFloat}},
    .attrs = {{"alpha", 1.0}},
    .infer = infer_same,
    .cost = cost_per_element<5>,
    .eval = eval_activation<Swish>,
    .onnx = {{"Swish", nullptr, "", 24}},
    .cases = {"(f32[2,3,5])", "(f32[33]) alpha=1.5"},
};
extern const OpDef op_tanh = with_half(quantizable<Tanh, 1, eval_tanh_quantized>(
    "tanh", "Tanh", {"TANH", import_as<"tanh">}, "Hyperbolic tangent."));
extern const OpDef op_thresholded_relu = activation<ThresholdedRelu, 1>(
    "thresholded_relu", "ThresholdedRelu", "x above alpha, else 0.", {{"alpha", 1.0}});

extern const OpDef op_gelu = {
    .name = "gelu",
    .summary = "x * the normal distribution function of x, exactly or by tanh.",
    .kind = OpKind::Function,
    .half = true,
    .inputs = {{"x", kFloat | kQuantized}},
    .attrs = {{"approximate", std::string("none")}},
    .quantized = true,
    .infer = infer_gelu,
    .cost = cost_per_element<5>,
    .eval = eval_either<Gelu, eval_gelu_quantized>,
    .onnx = {{"Gelu"},
             {"Gelu", nullptr, kOnnxRuntime},
             {"FastGelu", import_fast_gelu, kOnnxRuntime},
             {"BiasGelu", import_bias_gelu, kOnnxRuntime},
             {"QuickGelu", import_quick_gelu, kOnnxRuntime}},
    .tflite = {{"GELU", import_gelu}},
    .cases = {"(f32[2,3,5])", "(f32[33]) approximate=\"tanh\""},
};

extern const OpDef op_selu = {
    .name = "selu",
    .summary = "gamma * (x above zero, alpha * (exp(x) - 1) below).",
    .kind = OpKind::Function,
    .inputs = {{"x", kFloat}},
    .attrs = {{"alpha", 1.67326319217681884765625}, {"gamma", 1.05070102214813232421875}},
    .infer = infer_same,
    .cost = cost_per_element<4>,
    .eval = eval_activation<Selu>,
    .onnx = {{"Selu", upgrade_selu}},
    .cases = {"(f32[2,3,5])"},
};

}  // namespace hone
