#include "hone/targets/cpu/broadcast_view.h"

#include <vector>

namespace hone::cpu {
namespace {

struct Axis {
  size_t extent;
  std::array<bool, 2> varies;          // Whether each operand has the extent, rather than 1.
  std::array<size_t, 2> strides = {};  // In each operand; 0 where it does not vary.
};

// Axes of the result with extents other than 1, innermost last, joined where operands vary alike.
std::vector<Axis> joined_axes(const std::array<const Shape*, 2>& operands, const Shape& y) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < y.size(); ++i) {
    if (y[i] == 1) continue;
    Axis axis{static_cast<size_t>(y[i]), {}};
    for (size_t o = 0; o < 2; ++o) {
      const size_t missing = y.size() - operands[o]->size();
      axis.varies[o] = i >= missing && (*operands[o])[i - missing] != 1;
    }
    if (!axes.empty() && axes.back().varies == axis.varies) {
      axes.back().extent *= axis.extent;
    } else {
      axes.push_back(axis);
    }
  }
  return axes;
}

}  // namespace

BroadcastView broadcast_view(const Shape& a, const Shape& b, const Shape& y) {
  std::vector<Axis> axes = joined_axes({&a, &b}, y);
  while (axes.size() < 2) axes.insert(axes.begin(), Axis{1, {false, false}});
  std::array<size_t, 2> strides = {1, 1};
  for (size_t i = axes.size(); i-- > 0;) {
    for (size_t o = 0; o < 2; ++o) {
      if (!axes[i].varies[o]) continue;
      axes[i].strides[o] = strides[o];
      strides[o] *= axes[i].extent;
    }
  }
  const Axis& col = axes[axes.size() - 1];
  const Axis& row = axes[axes.size() - 2];
  BroadcastView view{.rows = row.extent, .cols = col.extent};
  for (size_t o = 0; o < 2; ++o) view.of[o] = {row.strides[o], col.strides[o]};
  for (size_t i = 0; i + 2 < axes.size(); ++i) {
    view.outer_axes.push_back({axes[i].extent, axes[i].strides});
    view.outer *= axes[i].extent;
  }
  return view;
}

}  // namespace hone::cpu
