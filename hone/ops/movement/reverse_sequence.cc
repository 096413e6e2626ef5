// The first sequence_lens[b] elements along `time_axis` of batch entry b in reverse order; the rest
// stays.

#include <algorithm>

#include "hone/ops/movement/movement.h"
#include "hone/ops/movement/movement_tflite.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_reverse_sequence(const InferContext& in) {
  const int64_t time = in.integer("time_axis");
  const int64_t batch = in.integer("batch_axis");
  if (time < 0 || time > 1 || batch < 0 || batch > 1 || time == batch) {
    return bad_input("time_axis is ", time, " and batch_axis ", batch,
                     ", expected 0 and 1 or 1 and 0");
  }
  const TensorType& x = in.type(0);
  const TensorType& lengths = in.type(1);
  if (x.ranked && x.rank() < 2) return bad_input("the input is ", x, ", expected rank 2 or more");
  if (lengths.ranked && lengths.rank() != 1) {
    return bad_input("sequence_lens is ", lengths, ", expected one axis");
  }
  if (x.known() && lengths.known() && lengths.shape[0] != x.shape[static_cast<size_t>(batch)]) {
    return bad_input("sequence_lens is ", lengths, " for an input of ", x);
  }
  return infer_same(in);
}

Status eval_reverse_sequence(EvalContext& in) {
  const Tensor& x = in.in(0);
  const auto time = static_cast<size_t>(in.integer("time_axis"));
  const auto batch = static_cast<size_t>(in.integer("batch_axis"));
  const int64_t steps = x.shape()[time];
  const Ints lengths = to_ints(in.in(1));
  for (const int64_t length : lengths) {
    if (length < 0 || length > steps) return bad_input("a sequence of ", length, " in ", steps);
  }
  if (in.out().elements() == 0) return Done{};
  const std::vector<int64_t> strides = strides_of(x.shape());
  const int64_t inner = elements(std::span(x.shape()).subspan(2));
  dispatch_by_size(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = mutable_raw<T>(in.out());
    for (size_t b = 0; b < lengths.size(); ++b) {
      const int64_t start = static_cast<int64_t>(b) * strides[batch];
      for (int64_t t = 0; t < steps; ++t) {
        const int64_t source = t < lengths[b] ? lengths[b] - 1 - t : t;
        std::copy_n(raw<T>(x) + start + source * strides[time], inner,
                    to + start + t * strides[time]);
      }
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_reverse_sequence = {
    .name = "reverse_sequence",
    .summary = "Sequences of different lengths reversed.",
    .kind = OpKind::Movement,
    .inputs = {{"x", kAny}, {"sequence_lens", DTypeSet{DType::I64}}},
    .attrs = {{"batch_axis", int64_t{1}}, {"time_axis", int64_t{0}}},
    .quantized = true,
    .infer = infer_reverse_sequence,
    .eval = eval_reverse_sequence,
    .onnx = {{"ReverseSequence"}},
    .tflite = {{"REVERSE_SEQUENCE", import_reverse_sequence}},
    .cases = {"(f32[4,3], i64[3]{4 1 2})"},
};

}  // namespace hone
