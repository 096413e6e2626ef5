// What operators on broadcast operands share.
#pragma once

#include "hone/ops/common.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/row_walk.h"

namespace hone {

// y[i] = fn(a[i], b[i]), with a and b read as if broadcast to y's shape.
template <class A, class B, class Y, class Fn>
void broadcast_pairs(const Tensor& a, const Tensor& b, Tensor& y, Fn fn) {
  const A* x0 = a.data<A>().data();
  const B* x1 = b.data<B>().data();
  Y* to = y.mutable_data<Y>().data();
  for (RowWalk walk(y.shape(), {broadcast_strides(a.shape(), y.shape()),
                                broadcast_strides(b.shape(), y.shape())});
       !walk.done(); walk.next()) {
    const A* row0 = x0 + walk.offset(0);
    const B* row1 = x1 + walk.offset(1);
    const int64_t n = walk.n(), step0 = walk.step(0), step1 = walk.step(1);
    for (int64_t i = 0; i < n; ++i) to[i] = fn(row0[i * step0], row1[i * step1]);
    to += n;
  }
}

// infer: as infer_broadcast, of booleans.
Result<std::vector<ValueType>> infer_predicate(const InferContext& in);

// infer: as infer_same, where input 0 is a float, or quantized as the output then is too.
Result<std::vector<ValueType>> infer_quantizable(const InferContext& in);

// cost: one operation per element of the broadcast result.
Cost cost_broadcast(const InferContext& in);

// Before opset 6, `consumed_inputs` told which inputs may be overwritten. It goes.
Status drop_consumed_inputs(OnnxImport& in);

// Before opset 7, `broadcast` and `axis` said which axis of the left operand the right one starts
// at.
Status upgrade_broadcast(OnnxImport& in);

// Turns a float attribute of an old version into a scalar input of input 0's element type, which is
// taken to be float where the file does not tell it.
void real_to_input(OnnxImport& in, std::string_view key, size_t input);

}  // namespace hone
