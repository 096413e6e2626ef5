#include "hone/ops/common.h"

#include <algorithm>
#include <cmath>

#include "hone/tensor/dispatch.h"

namespace hone {

Result<size_t> resolve_axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    return bad_input("axis ", axis, " is outside a tensor of rank ", rank);
  }
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

Result<std::vector<size_t>> resolve_axes(std::span<const int64_t> axes, int64_t rank) {
  std::vector<size_t> resolved;
  for (const int64_t axis : axes) {
    HONE_TRY(const size_t index, resolve_axis(axis, rank));
    resolved.push_back(index);
  }
  std::ranges::sort(resolved);
  if (std::ranges::adjacent_find(resolved) != resolved.end()) {
    return bad_input("axes [", join(axes), "] name an axis twice");
  }
  return resolved;
}

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  const size_t rank = std::max(a.size(), b.size());
  Shape result(rank);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t x = i + a.size() < rank ? 1 : a[i + a.size() - rank];
    const int64_t y = i + b.size() < rank ? 1 : b[i + b.size() - rank];
    if (x == y || y == 1) {
      result[i] = x;
    } else if (x == 1) {
      result[i] = y;
    } else if (x == kUnknown || y == kUnknown) {
      result[i] = x == kUnknown ? y : x;
    } else {
      return bad_input("shapes ", text_of(a), " and ", text_of(b), " do not broadcast");
    }
  }
  return result;
}

std::vector<int64_t> strides_of(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

std::vector<int64_t> broadcast_strides(std::span<const int64_t> from, std::span<const int64_t> to) {
  const std::vector<int64_t> dense = strides_of(from);
  std::vector<int64_t> strides(to.size());
  const size_t missing = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) strides[missing + i] = from[i] == 1 ? 0 : dense[i];
  return strides;
}

AxisSplit split_at(std::span<const int64_t> shape, size_t axis) {
  return {elements(shape.first(axis)), shape[axis], elements(shape.subspan(axis + 1))};
}

IndexWalk::IndexWalk(std::span<const int64_t> shape, std::vector<std::vector<int64_t>> strides)
    : shape_(shape.begin(), shape.end()),
      strides_(std::move(strides)),
      index_(shape.size()),
      offsets_(strides_.size()),
      done_(elements(shape) == 0) {}

void IndexWalk::next() {
  for (size_t axis = shape_.size(); axis-- > 0;) {
    ++index_[axis];
    for (size_t s = 0; s < strides_.size(); ++s) offsets_[s] += strides_[s][axis];
    if (index_[axis] < shape_[axis]) return;
    for (size_t s = 0; s < strides_.size(); ++s) offsets_[s] -= strides_[s][axis] * shape_[axis];
    index_[axis] = 0;
  }
  done_ = true;
}

TensorType plain(TensorType type) {
  type.quant = nullptr;
  return type;
}

Result<std::vector<ValueType>> infer_same(const InferContext& in) {
  return std::vector<ValueType>{plain(in.type(0))};
}

Result<std::vector<ValueType>> infer_broadcast(const InferContext& in) {
  TensorType type = plain(in.type(0));
  for (size_t i = 1; i < in.inputs(); ++i) {
    if (!in.type(i).ranked) type.ranked = false;
    if (!type.ranked) continue;
    HONE_TRY(type.shape, broadcast(type.shape, in.type(i).shape));
  }
  if (!type.ranked) type.shape.clear();
  return std::vector<ValueType>{type};
}

float activate(float x, const std::string& activation) {
  if (activation.empty()) return x;
  if (activation == "relu") return std::max(x, 0.0f);
  if (activation == "relu6") return std::clamp(x, 0.0f, 6.0f);
  if (activation == "relu_n1_to_1") return std::clamp(x, -1.0f, 1.0f);
  return std::tanh(x);
}

void activate_all(Tensor& tensor, const std::string& activation) {
  if (activation.empty()) return;
  dispatch_float(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& y : tensor.mutable_data<T>()) {
      y = T(activate(static_cast<float>(y), activation));
    }
  });
}

Status check_activation(const std::string& activation) {
  for (const char* known : {"", "relu", "relu6", "relu_n1_to_1", "tanh"}) {
    if (activation == known) return Done{};
  }
  return unsupported("activation '", activation, "' is not known");
}

}  // namespace hone
