#include "hone/ops/quant/scales.h"

#include <algorithm>
#include <cmath>

#include "hone/tensor/dispatch.h"

namespace hone {

Result<ScaleMap> scale_map(const NodeContext& node, const Shape& x, const Shape& scale) {
  const int64_t block = node.integer("block_size");
  if (block < 0) return bad_input("block_size is ", block, ", expected 0 or more");
  if (block == 0 && elements(scale) == 1 && scale.size() <= 1) {
    return ScaleMap{.split = {1, 1, elements(x)}};
  }
  HONE_TRY(const size_t axis, resolve_axis(node.integer("axis"), static_cast<int64_t>(x.size())));
  const ScaleMap map{
      .split = split_at(x, axis), .block = std::max<int64_t>(block, 1), .whole_axis = block == 0};
  Shape expected{x[axis]};
  if (block > 0) {
    expected = x;
    expected[axis] = x[axis] / block + (x[axis] % block != 0 ? 1 : 0);
  }
  if (scale != expected) {
    return bad_input("scales are of shape ", text_of(scale), ", expected ",
                     block > 0 ? "" : "a scalar or ", text_of(expected));
  }
  if (block > x[axis]) return ScaleMap{map.split, std::max<int64_t>(x[axis], 1), false};
  return map;
}

namespace {

// Only what the model itself states: a scale that is computed may be 0 where all numbers are.
Status check_stated(const Node& node) {
  const Value& scale = *node.inputs[1];
  if (!scale.constant || !kFloat.contains(scale.constant->dtype())) return Done{};
  Status status = Done{};
  dispatch_float(scale.constant->dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const T stated : scale.constant->template data<T>()) {
      const double value = static_cast<double>(static_cast<Compute<T>>(stated));
      if (value > 0 && std::isfinite(value)) continue;
      status =
          bad_input("scale '", scale.name, "' has ", value, ", expected finite numbers above 0");
      return;
    }
  });
  return status;
}

}  // namespace

Status check_scales(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_stated(in.node()));
  const TensorType& scale = in.type(1);
  const auto known = [](const TensorType& type) {
    return type.ranked && std::ranges::none_of(type.shape, [](int64_t n) { return n == kUnknown; });
  };
  if (!known(scale)) return Done{};
  if (in.has(2) && known(in.type(2)) && in.type(2).shape != scale.shape) {
    const bool scalars = elements(in.type(2).shape) == 1 && elements(scale.shape) == 1;
    if (!scalars) {
      return bad_input("zero points are of shape ", text_of(in.type(2).shape), ", expected ",
                       text_of(scale.shape), " as the scales");
    }
  }
  if (known(in.type(0))) {
    HONE_RETURN_IF_ERROR(scale_map(in, in.type(0).shape, scale.shape));
  }
  return Done{};
}

}  // namespace hone
