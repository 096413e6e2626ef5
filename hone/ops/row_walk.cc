#include "hone/ops/row_walk.h"

namespace hone {
namespace {

// True when axis `i` of every operand continues where its last merged axis leaves off.
bool continues(const std::vector<std::vector<int64_t>>& merged,
               const std::vector<std::vector<int64_t>>& strides, size_t i, int64_t extent) {
  for (size_t s = 0; s < strides.size(); ++s) {
    if (merged[s].back() != strides[s][i] * extent) return false;
  }
  return true;
}

}  // namespace

RowWalk::RowWalk(std::span<const int64_t> shape, std::vector<std::vector<int64_t>> strides)
    : steps_(strides.size(), 0), outer_(split(shape, std::move(strides))) {}

IndexWalk RowWalk::split(std::span<const int64_t> shape,
                         std::vector<std::vector<int64_t>> strides) {
  if (elements(shape) == 0) {
    return {Shape{0}, std::vector<std::vector<int64_t>>(strides.size(), {0})};
  }
  Shape extents;
  std::vector<std::vector<int64_t>> merged(strides.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    const bool joins = !extents.empty() && continues(merged, strides, i, shape[i]);
    if (joins) {
      extents.back() *= shape[i];
    } else {
      extents.push_back(shape[i]);
    }
    for (size_t s = 0; s < strides.size(); ++s) {
      if (joins) merged[s].pop_back();
      merged[s].push_back(strides[s][i]);
    }
  }
  if (!extents.empty()) {
    n_ = extents.back();
    extents.pop_back();
    for (size_t s = 0; s < strides.size(); ++s) {
      steps_[s] = merged[s].back();
      merged[s].pop_back();
    }
  }
  return {extents, std::move(merged)};
}

}  // namespace hone
