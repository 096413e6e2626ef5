// One step of an optimizer on any number of tensors: inputs R (learning rate), T (steps done), then
// all X (parameters), all G (gradients) and the optimizer's state; outputs the new X and the new
// state. With g = G + norm_coefficient * X:
//   adagrad   r = R / (1 + T decay)    H' = H + g^2    X' = X - r g / (sqrt(H') + epsilon)
//   adam      V' = alpha V + (1 - alpha) g    H' = beta H + (1 - beta) g^2
//             r = R sqrt(1 - beta^T) / (1 - alpha^T), or R when T is 0
//             X' = (1 - norm_coefficient_post) (X - r V' / (sqrt(H') + epsilon))
//   momentum  V' = alpha V + (T > 0 ? beta : 1) g
//             standard X' = X - R V'    nesterov X' = X - R (g + alpha V')

#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr std::string_view kDomain = "ai.onnx.preview.training";
constexpr size_t kFirst = 2;

// `kStates`: tensors of state per parameter.
template <size_t kStates>
Result<std::vector<ValueType>> infer_optimizers(const InferContext& in) {
  const size_t groups = 2 + kStates;
  const size_t tensors = in.inputs() - kFirst;
  if (tensors % groups != 0) {
    return bad_input("has ", tensors, " tensors, expected a multiple of ", groups);
  }
  const size_t count = tensors / groups;
  if (in.outputs() > count * (1 + kStates)) {
    return bad_input("has ", in.outputs(), " outputs, expected ", count * (1 + kStates));
  }
  for (size_t i = 0; i < tensors; ++i) {
    const TensorType& x = in.type(kFirst + i % count);
    const TensorType& other = in.type(kFirst + i);
    if (x.known() && other.known() && x.shape != other.shape) {
      return bad_input("tensor ", i, " is ", other, ", expected ", x);
    }
  }
  std::vector<ValueType> types;
  for (size_t i = 0; i < count * (1 + kStates); ++i)
    types.push_back(plain(in.type(kFirst + i % count)));
  return types;
}

Result<double> scalar(const EvalContext& in, size_t input) {
  const std::vector<double> values = to_doubles(in.in(input));
  if (values.size() != 1)
    return bad_input("input ", input, " is ", in.in(input).type(), ", expected a scalar");
  return values[0];
}

// One element: in x, g and the state; out x and the state.
struct Element {
  double x, g;
  double state[2];
};

// Runs step(Element&) over every element of every tensor.
template <size_t kStates, class Step>
void update(EvalContext& in, const Step& step) {
  const size_t count = (in.inputs() - kFirst) / (2 + kStates);
  for (size_t k = 0; k < count; ++k) {
    std::vector<double> values[2 + kStates];
    for (size_t g = 0; g < 2 + kStates; ++g) values[g] = to_doubles(in.in(kFirst + g * count + k));
    for (size_t i = 0; i < values[0].size(); ++i) {
      Element element{values[0][i], values[1][i], {}};
      for (size_t s = 0; s < kStates; ++s) element.state[s] = values[2 + s][i];
      step(element);
      values[0][i] = element.x;
      for (size_t s = 0; s < kStates; ++s) values[1 + s][i] = element.state[s];
    }
    for (size_t g = 0; g < 1 + kStates && g * count + k < in.outputs(); ++g) {
      Tensor& out = in.out(g * count + k);
      dispatch<float, double>(out.dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const auto y = out.mutable_data<T>();
        for (size_t i = 0; i < y.size(); ++i) y[i] = T(values[g][i]);
      });
    }
  }
}

Status eval_adagrad(EvalContext& in) {
  HONE_TRY(const double rate, scalar(in, 0));
  HONE_TRY(const double done, scalar(in, 1));
  const double r = rate / (1 + done * in.real("decay_factor"));
  const double norm = in.real("norm_coefficient"), epsilon = in.real("epsilon");
  update<1>(in, [&](Element& e) {
    const double g = e.g + norm * e.x;
    e.state[0] += g * g;
    e.x -= r * g / (std::sqrt(e.state[0]) + epsilon);
  });
  return Done{};
}

Status eval_adam(EvalContext& in) {
  HONE_TRY(const double rate, scalar(in, 0));
  HONE_TRY(const double done, scalar(in, 1));
  const double alpha = in.real("alpha"), beta = in.real("beta");
  const double norm = in.real("norm_coefficient"), post = in.real("norm_coefficient_post");
  const double epsilon = in.real("epsilon");
  const double r =
      done > 0 ? rate * std::sqrt(1 - std::pow(beta, done)) / (1 - std::pow(alpha, done)) : rate;
  update<2>(in, [&](Element& e) {
    const double g = e.g + norm * e.x;
    e.state[0] = alpha * e.state[0] + (1 - alpha) * g;
    e.state[1] = beta * e.state[1] + (1 - beta) * g * g;
    e.x = (1 - post) * (e.x - r * e.state[0] / (std::sqrt(e.state[1]) + epsilon));
  });
  return Done{};
}

// The schema's default is 1e-6, but ONNX 1.12's own test of it (test_adam_multiple) expects 1e-2.
Status upgrade_adam(OnnxImport& in) {
  if (in.has("epsilon")) return Done{};
  return unsupported("leaves epsilon out, for which ONNX's schema and test data disagree");
}

Result<std::vector<ValueType>> infer_momentum(const InferContext& in) {
  const std::string& mode = in.text("mode");
  if (mode != "standard" && mode != "nesterov") {
    return bad_input("mode is '", mode, "', expected standard or nesterov");
  }
  return infer_optimizers<1>(in);
}

Status eval_momentum(EvalContext& in) {
  HONE_TRY(const double rate, scalar(in, 0));
  HONE_TRY(const double done, scalar(in, 1));
  const double alpha = in.real("alpha"), norm = in.real("norm_coefficient");
  const double beta = done > 0 ? in.real("beta") : 1.0;
  const bool nesterov = in.text("mode") == "nesterov";
  update<1>(in, [&](Element& e) {
    const double g = e.g + norm * e.x;
    e.state[0] = alpha * e.state[0] + beta * g;
    e.x -= rate * (nesterov ? g + alpha * e.state[0] : e.state[0]);
  });
  return Done{};
}

constexpr DTypeSet kReal{DType::F32, DType::F64};

std::vector<InputDef> inputs() {
  return {{"R", kReal}, {"T", DTypeSet{DType::I64}}, {"tensors", kReal, 'T', kVariadic}};
}

}  // namespace

extern const OpDef op_adagrad = {
    .name = "adagrad",
    .summary = "A step of the Adagrad optimizer.",
    .inputs = inputs(),
    .attrs = {{"decay_factor", 0.0}, {"epsilon", 1e-6}, {"norm_coefficient", 0.0}},
    .max_outputs = 1 << 20,
    .infer = infer_optimizers<1>,
    .eval = eval_adagrad,
    .onnx = {{"Adagrad", nullptr, kDomain}},
    .cases = {"?, ? = (f32[]{0.1}, i64[]{0}, f32[2]{1 2}, f32[2]{0.5 1}, f32[2]{1 1})"},
};

extern const OpDef op_adam = {
    .name = "adam",
    .summary = "A step of the Adam optimizer.",
    .inputs = inputs(),
    .attrs = {{"alpha", 0.9},
              {"beta", 0.999},
              {"epsilon", 1e-6},
              {"norm_coefficient", 0.0},
              {"norm_coefficient_post", 0.0}},
    .max_outputs = 1 << 20,
    .infer = infer_optimizers<2>,
    .eval = eval_adam,
    .onnx = {{"Adam", upgrade_adam, kDomain}},
    .cases =
        {"?, ?, ? = (f32[]{0.1}, i64[]{0}, f32[2]{1 2}, f32[2]{0.5 1}, f32[2]{0 0}, f32[2]{0 0})"},
};

extern const OpDef op_momentum = {
    .name = "momentum",
    .summary = "A step of gradient descent with momentum.",
    .inputs = inputs(),
    .attrs = {{"alpha", 0.0, kRequired},
              {"beta", 0.0, kRequired},
              {"mode", std::string(), kRequired},
              {"norm_coefficient", 0.0, kRequired}},
    .max_outputs = 1 << 20,
    .infer = infer_momentum,
    .eval = eval_momentum,
    .onnx = {{"Momentum", nullptr, kDomain}},
    .cases = {"?, ? = (f32[]{0.1}, i64[]{0}, f32[2]{1 2}, f32[2]{0.5 1}, f32[2]{0 0}) alpha=0.9 "
              "beta=1.0 mode=\"standard\" norm_coefficient=0.0"},
};

}  // namespace hone
