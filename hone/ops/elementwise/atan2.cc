// atan2(y, x), the angle of the point (x, y): what TFLite has and ONNX has not.

#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/op_def.h"
#include "hone/ops/tflite_import.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Status eval_atan2(EvalContext& in) {
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_pairs<T, T, T>(in.in(0), in.in(1), in.out(), [](T y, T x) {
      return T(std::atan2(static_cast<Compute<T>>(y), static_cast<Compute<T>>(x)));
    });
  });
  return Done{};
}

}  // namespace

extern const OpDef op_atan2 = {
    .name = "atan2",
    .summary = "The angle of the point (x, y).",
    .kind = OpKind::Broadcast,
    .inputs = {{"y", kFloat, 'T'}, {"x", kFloat, 'T'}},
    .infer = infer_broadcast,
    .cost = cost_per_element<20>,
    .eval = eval_atan2,
    .tflite = {{"ATAN2", import_as<"atan2">}},
    .cases = {"(f32[2,3], f32[3])"},
};

}  // namespace hone
