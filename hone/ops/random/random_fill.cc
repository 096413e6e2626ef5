// Tensors of random numbers, of a given shape or of that of the input.
//   random_uniform  in [low, high)        random_normal  around `mean` with deviation `scale`

#include "hone/ops/common.h"
#include "hone/ops/random/random.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_shape(const InferContext& in) {
  const DType dtype = in.attr<DType>("dtype");
  if (!kFloat.contains(dtype)) return unsupported("random numbers of type ", dtype);
  for (const int64_t extent : in.ints("shape")) {
    if (extent < 0) return bad_input("shape has an extent of ", extent);
  }
  return std::vector<ValueType>{ValueType(dtype, in.ints("shape"))};
}

Result<std::vector<ValueType>> infer_like(const InferContext& in) {
  TensorType type = plain(in.type(0));
  if (in.has_attr("dtype")) type.dtype = in.attr<DType>("dtype");
  if (type.dtype != DType::Undefined && !kFloat.contains(type.dtype)) {
    return unsupported("random numbers of type ", type.dtype);
  }
  return std::vector<ValueType>{type};
}

template <bool kNormal>
Status eval_random_fill(EvalContext& in) {
  std::mt19937_64 generator = generator_of(in);
  const double offset = in.real(kNormal ? "mean" : "low");
  const double factor = kNormal ? in.real("scale") : in.real("high") - offset;
  dispatch_float(in.out_type().tensor.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& value : in.out().template mutable_data<T>()) {
      value = T(offset + factor * (kNormal ? normal(generator) : uniform(generator)));
    }
  });
  return Done{};
}

template <bool kNormal, bool kLike>
OpDef random_fill(std::string_view name, std::string_view onnx, std::string_view summary) {
  OpDef op{
      .name = name,
      .summary = summary,
      .inputs = {},
      .attrs = {seed_attr()},
      .random = true,
      .infer = kLike ? infer_like : infer_shape,
      .eval = eval_random_fill<kNormal>,
      .onnx = {{onnx}},
  };
  op.attrs.push_back({kNormal ? "mean" : "low", 0.0});
  op.attrs.push_back({kNormal ? "scale" : "high", 1.0});
  if (kLike) {
    op.inputs.push_back({"like", kAny});
    op.attrs.push_back({"dtype", DType::Undefined, kAbsent});
  } else {
    op.attrs.push_back({"dtype", DType::F32});
    op.attrs.push_back({"shape", Ints(), kRequired});
  }
  return op;
}

}  // namespace

extern const OpDef op_random_normal =
    random_fill<true, false>("random_normal", "RandomNormal", "Normally distributed numbers.");
extern const OpDef op_random_normal_like = random_fill<true, true>(
    "random_normal_like", "RandomNormalLike", "Normally distributed numbers in the input's shape.");
extern const OpDef op_random_uniform =
    random_fill<false, false>("random_uniform", "RandomUniform", "Uniformly distributed numbers.");
extern const OpDef op_random_uniform_like =
    random_fill<false, true>("random_uniform_like", "RandomUniformLike",
                             "Uniformly distributed numbers in the input's shape.");

}  // namespace hone
