#include "hone/targets/cpu/broadcast_view.h"

#include <vector>

namespace hone::cpu {
namespace {

struct Axis {
  size_t extent;
  std::array<bool, 2> varies;  // Whether each operand has the extent, rather than 1.
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

std::optional<BroadcastView> broadcast_view(const Shape& a, const Shape& b, const Shape& y) {
  std::vector<Axis> axes = joined_axes({&a, &b}, y);
  if (axes.size() > 3) return std::nullopt;
  while (axes.size() < 3) axes.insert(axes.begin(), Axis{1, {false, false}});
  BroadcastView view{axes[0].extent, axes[1].extent, axes[2].extent, {}};
  for (size_t o = 0; o < 2; ++o) {
    const auto extent = [&](size_t axis) { return axes[axis].varies[o] ? axes[axis].extent : 1; };
    view.of[o].col = axes[2].varies[o] ? 1 : 0;
    view.of[o].row = axes[1].varies[o] ? extent(2) : 0;
    view.of[o].outer = axes[0].varies[o] ? extent(2) * extent(1) : 0;
  }
  return view;
}

}  // namespace hone::cpu
