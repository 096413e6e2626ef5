// lp_pool(x)[n, c, p] = (sum of |x|^p under the window at p)^(1/p).

#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/op_def.h"
#include "hone/ops/pool/windows.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_lp_pool(const InferContext& in) {
  if (in.integer("p") < 1) return bad_input("p is ", in.integer("p"), ", expected 1 or more");
  HONE_TRY(const TensorType type, pool_type(in));
  return std::vector<ValueType>{type};
}

Status eval_lp_pool(EvalContext& in) {
  HONE_TRY(const PoolGeometry pool, pool_geometry(in, in.in(0).shape()));
  const auto p = static_cast<double>(in.integer("p"));
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = in.in(0).data<T>().data();
    T* y = in.out().template mutable_data<T>().data();
    for_each_window(pool, [&](const PoolWindow& at) {
      double sum = 0;
      at.each([&](int64_t offset, int64_t, int64_t, int64_t) {
        sum += std::pow(std::fabs(static_cast<double>(Compute<T>(x[offset]))), p);
      });
      y[at.out] = T(static_cast<Compute<T>>(std::pow(sum, 1 / p)));
    });
  });
  return Done{};
}

// In opset 1 p was a float.
Status upgrade_lp_pool(OnnxImport& in) {
  if (in.opset > 1) return Done{};
  const double p = in.take<double>("p", 2.0);
  if (p != std::floor(p) || p < 1 || p > 1e6) return unsupported("LpPool with p = ", p);
  in.attrs["p"] = static_cast<int64_t>(p);
  return Done{};
}

}  // namespace

extern const OpDef op_lp_pool = {
    .name = "lp_pool",
    .summary = "p-norm of the elements under a sliding window.",
    .inputs = {{"x", kFloat}},
    .attrs = {{"auto_pad", std::string("NOTSET")},
              {"ceil_mode", int64_t{0}},
              {"dilations", Ints{}},
              {"kernel_shape", Ints{}, kRequired},
              {"p", int64_t{2}},
              {"pads", Ints{}},
              {"strides", Ints{}},
              layout_attr()},
    .infer = infer_lp_pool,
    .cost = pool_cost,
    .eval = eval_lp_pool,
    .onnx = {{"LpPool", upgrade_lp_pool}},
    .cases = {"(f32[1,2,4,4]) kernel_shape=[2,2]"},
};

}  // namespace hone
