#include "hone/ops/movement/movement.h"

#include "hone/ops/row_walk.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr int64_t kLargestRank = 256;

template <class T>
void copy_elements(const T* from, std::span<const int64_t> view, std::vector<int64_t> strides,
                   T* to) {
  for (RowWalk walk(view, {std::move(strides)}); !walk.done(); walk.next()) {
    const T* row = from + walk.offset(0);
    const int64_t n = walk.n(), step = walk.step(0);
    for (int64_t i = 0; i < n; ++i) to[i] = row[i * step];
    to += n;
  }
}

}  // namespace

Result<TensorType> type_of_rank(DType dtype, int64_t length) {
  if (length == kUnknown) return TensorType::unranked(dtype);
  if (length > kLargestRank) return bad_input("a tensor of ", length, " axes");
  return TensorType{dtype, Shape(static_cast<size_t>(length), kUnknown)};
}

Result<TensorType> type_of_rank_in(DType dtype, const TensorType& shape) {
  if (!shape.ranked) return TensorType::unranked(dtype);
  if (shape.rank() != 1) return bad_input("shape is ", shape, ", expected one axis");
  return type_of_rank(dtype, shape.shape[0]);
}

Status eval_reshaped(EvalContext& in) {
  const TensorType& type = in.out_type().tensor;
  in.set(0, in.in(0).reshaped(type.shape).with_quantization(type.quant));
  return Done{};
}

void copy_strided(const Tensor& x, int64_t offset, std::span<const int64_t> view,
                  std::vector<int64_t> strides, Tensor& y) {
  if (y.elements() == 0) return;
  if (is_small(x.dtype())) {
    const std::vector<int8_t> from = unpack_small(x);
    std::vector<int8_t> to(static_cast<size_t>(y.elements()));
    copy_elements(from.data() + offset, view, std::move(strides), to.data());
    y = pack_small(y.type(), to);
    return;
  }
  dispatch_by_size(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    copy_elements(raw<T>(x) + offset, view, std::move(strides), mutable_raw<T>(y));
  });
}

}  // namespace hone
