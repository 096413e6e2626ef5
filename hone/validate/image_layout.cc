#include "hone/validate/image_layout.h"

#include <algorithm>

#include "hone/ops/movement/transpose_tflite.h"

namespace hone {
namespace {

// Channels to the back for `back`, to the front otherwise.
Ints channels_moved(size_t rank, bool back) {
  Ints perm = {0};
  const auto last = static_cast<int64_t>(rank) - 1;
  if (!back) perm.push_back(last);
  for (int64_t axis = back ? 2 : 1; axis <= (back ? last : last - 1); ++axis) perm.push_back(axis);
  if (back) perm.push_back(1);
  return perm;
}

bool gives(const Shape& from, const Ints& perm, const Shape& to) {
  for (size_t i = 0; i < to.size(); ++i) {
    if (from[static_cast<size_t>(perm[i])] != to[i]) return false;
  }
  return true;
}

}  // namespace

Shape without_ones(const Shape& shape) {
  Shape rest = shape;
  std::erase(rest, 1);
  return rest;
}

std::optional<Ints> layout_change(const Shape& from, const Shape& to) {
  if (from.size() != to.size() || from.size() < 3) return std::nullopt;
  for (const bool back : {true, false}) {
    Ints perm = channels_moved(from.size(), back);
    if (gives(from, perm, to)) return perm;
  }
  return std::nullopt;
}

std::optional<Tensor> arranged(const Tensor& tensor, const Shape& to, bool prefer_turned) {
  const bool same = without_ones(tensor.shape()) == without_ones(to);
  const std::optional<Ints> perm = layout_change(tensor.shape(), to);
  if (perm && (prefer_turned || !same)) return transposed(tensor, *perm);
  if (!same) return std::nullopt;
  return tensor.reshaped(to);
}

}  // namespace hone
