// y = a + b, character by character, broadcast.

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

Status eval_string_concat(EvalContext& in) {
  const auto a = in.in(0).data<std::string>();
  const auto b = in.in(1).data<std::string>();
  Tensor& out = in.out();
  const auto y = out.mutable_data<std::string>();
  size_t i = 0;
  for (IndexWalk walk(out.shape(), {broadcast_strides(in.in(0).shape(), out.shape()),
                                    broadcast_strides(in.in(1).shape(), out.shape())});
       !walk.done(); walk.next()) {
    y[i++] = a[static_cast<size_t>(walk.offset(0))] + b[static_cast<size_t>(walk.offset(1))];
  }
  return Done{};
}

}  // namespace

extern const OpDef op_string_concat = {
    .name = "string_concat",
    .summary = "Strings of two tensors put together.",
    .inputs = {{"a", kText}, {"b", kText}},
    .infer = infer_broadcast,
    .eval = eval_string_concat,
    .onnx = {{"StringConcat"}},
    .cases = {"(string[2]{\"a\" \"b\"}, string[1]{\"c\"})"},
};

}  // namespace hone
