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

namespace {

template <class T>
T logistic(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

template <class T>
T normal_distribution_by_tanh(T x) {
  const T inner = T(M_2_SQRTPI * M_SQRT1_2) * (x + T(0.044715) * x * x * x);
  return T(0.5) * (T(1) + std::tanh(inner));
}

// Calls use(fn) with the function that the name stands for.
template <class T, class Use>
void with_activation(const std::string& name, const Floats& params, Use use) {
  const T a = params.empty() ? T(0) : static_cast<T>(params[0]);
  const T b = params.size() < 2 ? T(0) : static_cast<T>(params[1]);
  if (name == "relu") return use([](T x) { return std::max(x, T(0)); });
  if (name == "relu6") return use([](T x) { return std::clamp(x, T(0), T(6)); });
  if (name == "relu_n1_to_1") return use([](T x) { return std::clamp(x, T(-1), T(1)); });
  if (name == "clip") return use([a, b](T x) { return std::min(std::max(x, a), b); });
  if (name == "leaky_relu") return use([a](T x) { return x < 0 ? a * x : x; });
  if (name == "tanh") return use([](T x) { return std::tanh(x); });
  if (name == "sigmoid") return use([](T x) { return logistic(x); });
  if (name == "silu") return use([](T x) { return x * logistic(x); });
  if (name == "hard_sigmoid") return use([a, b](T x) { return std::clamp(a * x + b, T(0), T(1)); });
  if (name == "hard_swish") {
    return use([](T x) { return x * std::clamp(x / T(6) + T(0.5), T(0), T(1)); });
  }
  if (name == "gelu") {
    return use([](T x) { return T(0.5) * x * (T(1) + std::erf(x * T(M_SQRT1_2))); });
  }
  use([](T x) { return x * normal_distribution_by_tanh(x); });
}

}  // namespace

OpDef with_half(OpDef op) {
  op.half = true;
  return op;
}

OpDef with_integers(IntegerForm form, OpDef op) {
  op.integers = form;
  return op;
}

Status check_activation(const NodeContext& node) {
  constexpr std::pair<std::string_view, size_t> kKnown[] = {
      {"", 0},          {"relu", 0},         {"relu6", 0},     {"relu_n1_to_1", 0}, {"clip", 2},
      {"tanh", 0},      {"leaky_relu", 1},   {"sigmoid", 0},   {"silu", 0},         {"gelu", 0},
      {"gelu_tanh", 0}, {"hard_sigmoid", 2}, {"hard_swish", 0}};
  const std::string& name = node.text("activation");
  const auto* found = std::ranges::find(kKnown, name, &std::pair<std::string_view, size_t>::first);
  if (found == std::end(kKnown)) return unsupported("activation '", name, "' is not known");
  const size_t given = node.attr<Floats>("activation_params").size();
  if (given == found->second) return Done{};
  return bad_input("activation '", name, "' has ", given, " parameters, expected ", found->second);
}

void activate_all(Tensor& tensor, const NodeContext& node) {
  const std::string& name = node.text("activation");
  if (name.empty()) return;
  const Floats& params = node.attr<Floats>("activation_params");
  dispatch_float(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    with_activation<Compute<T>>(name, params, [&](auto fn) {
      for (T& y : tensor.mutable_data<T>()) y = T(fn(Compute<T>(y)));
    });
  });
}

Status check_residual(const InferContext& in, size_t residual, const TensorType& output) {
  if (!in.has(residual)) return Done{};
  const TensorType& type = in.type(residual);
  const bool plain_float = kFloat.contains(output.dtype) || output.dtype == DType::Undefined;
  if (!plain_float || in.type(0).quantized() || in.type(1).quantized()) {
    return unsupported("a residual on ", output.dtype, ", expected plain floats");
  }
  if (!type.ranked || !output.ranked) return Done{};
  HONE_TRY(const Shape both, broadcast(type.shape, output.shape));
  const bool fits = type.rank() == output.rank() && (!output.known() || both == output.shape) &&
                    (!type.known() || both == type.shape);
  if (fits) return Done{};
  return bad_input("the residual is ", type, ", expected ", output);
}

}  // namespace hone
