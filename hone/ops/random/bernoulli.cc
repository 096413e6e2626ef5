// y[i] is 1 with probability x[i], else 0.

#include "hone/ops/common.h"
#include "hone/ops/random/random.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_bernoulli(const InferContext& in) {
  TensorType type = plain(in.type(0));
  if (in.has_attr("dtype")) type.dtype = in.attr<DType>("dtype");
  const bool known = type.dtype != DType::Undefined;
  if (known && !(kNumeric | kBoolean).contains(type.dtype))
    return unsupported("output of type ", type.dtype);
  return std::vector<ValueType>{type};
}

Status eval_bernoulli(EvalContext& in) {
  std::mt19937_64 generator = generator_of(in);
  const std::vector<double> x = to_doubles(in.in(0));
  const auto fill = [&](auto y) {
    for (size_t i = 0; i < x.size(); ++i) {
      y[i] = typename decltype(y)::value_type(uniform(generator) < x[i] ? 1.0f : 0.0f);
    }
  };
  const DType dtype = in.out_type().tensor.dtype;
  if (dtype == DType::Bool) {
    fill(in.out().mutable_data<bool>());
  } else {
    dispatch_numeric(dtype, [&](auto tag) {
      fill(in.out().template mutable_data<typename decltype(tag)::type>());
    });
  }
  return Done{};
}

}  // namespace

extern const OpDef op_bernoulli = {
    .name = "bernoulli",
    .summary = "Zeros and ones, drawn with the probabilities given.",
    .inputs = {{"x", kFloat}},
    .attrs = {{"dtype", DType::Undefined, kAbsent}, seed_attr()},
    .random = true,
    .infer = infer_bernoulli,
    .eval = eval_bernoulli,
    .onnx = {{"Bernoulli"}},
};

}  // namespace hone
