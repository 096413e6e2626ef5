#include "hone/ops/vision/resize_plan.h"

#include <algorithm>
#include <cmath>

#include "hone/ops/common.h"

namespace hone {
namespace {

constexpr double kLargestExtent = 1099511627776.0;  // 2^40

// The axes that scales, sizes and roi speak of.
Result<std::vector<size_t>> named_axes(const NodeContext& node, size_t rank) {
  std::vector<size_t> axes;
  if (!node.has_attr("axes")) {
    for (size_t i = 0; i < rank; ++i) axes.push_back(i);
    return axes;
  }
  HONE_RETURN_IF_ERROR(resolve_axes(node.ints("axes"), static_cast<int64_t>(rank)));
  for (const int64_t axis : node.ints("axes")) {
    HONE_TRY(const size_t index, resolve_axis(axis, static_cast<int64_t>(rank)));
    axes.push_back(index);
  }
  return axes;
}

Status check_count(const char* what, size_t found, size_t expected) {
  if (found == expected) return Done{};
  return bad_input(what, " has ", found, " numbers, expected ", expected);
}

Status apply_scales(const std::vector<double>& scales, const std::vector<size_t>& axes,
                    ResizePlan& plan) {
  HONE_RETURN_IF_ERROR(check_count("scales", scales.size(), axes.size()));
  if (plan.mode.coordinates == ResizeMode::Coordinates::TfCropAndResize) {
    return unsupported("tf_crop_and_resize by scales instead of sizes");
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizeAxis& axis = plan.axes[axes[i]];
    axis.scale = scales[i];
    if (!(axis.scale > 0) || !std::isfinite(axis.scale)) {
      return bad_input("scales has ", axis.scale, ", expected a positive number");
    }
    axis.length = static_cast<double>(axis.in) * axis.scale;
    if (axis.length > kLargestExtent) return bad_input("an extent of ", axis.length);
    // In float, as ONNX's own shape inference does: 10 * 0.7f is then 7.
    axis.out = static_cast<int64_t>(
        std::floor(static_cast<float>(axis.in) * static_cast<float>(axis.scale)));
  }
  return Done{};
}

// One scale for all axes: the smallest or largest of those that sizes ask for.
Status keep_aspect_ratio(const std::string& policy, const std::vector<size_t>& axes,
                         ResizePlan& plan) {
  if (policy != "not_larger" && policy != "not_smaller") {
    return unsupported("keep_aspect_ratio_policy '", policy, "' is not known");
  }
  if (axes.empty()) return Done{};
  double scale = plan.axes[axes[0]].scale;
  for (const size_t axis : axes) {
    scale = policy == "not_larger" ? std::min(scale, plan.axes[axis].scale)
                                   : std::max(scale, plan.axes[axis].scale);
  }
  for (const size_t index : axes) {
    ResizeAxis& axis = plan.axes[index];
    axis.scale = scale;
    axis.length = scale * static_cast<double>(axis.in);
    if (axis.length > kLargestExtent) return bad_input("an extent of ", axis.length);
    axis.out = static_cast<int64_t>(std::floor(axis.length + 0.5));
  }
  return Done{};
}

Status apply_sizes(const NodeContext& node, const Ints& sizes, const std::vector<size_t>& axes,
                   ResizePlan& plan) {
  HONE_RETURN_IF_ERROR(check_count("sizes", sizes.size(), axes.size()));
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizeAxis& axis = plan.axes[axes[i]];
    if (sizes[i] < 0 || static_cast<double>(sizes[i]) > kLargestExtent) {
      return bad_input("sizes has ", sizes[i], ", expected 0 or more");
    }
    axis.out = sizes[i];
    axis.length = static_cast<double>(axis.out);
    axis.scale = axis.in > 0 ? axis.length / static_cast<double>(axis.in) : 1;
  }
  const std::string& policy = node.text("keep_aspect_ratio_policy");
  if (policy != "stretch") return keep_aspect_ratio(policy, axes, plan);
  return Done{};
}

Status apply_roi(const std::vector<double>& roi, const std::vector<size_t>& axes,
                 ResizePlan& plan) {
  HONE_RETURN_IF_ERROR(check_count("roi", roi.size(), 2 * axes.size()));
  for (size_t i = 0; i < axes.size(); ++i) {
    plan.axes[axes[i]].roi_begin = roi[i];
    plan.axes[axes[i]].roi_end = roi[axes.size() + i];
  }
  return Done{};
}

}  // namespace

bool is_given(const Tensor* tensor) {
  return tensor != nullptr && tensor->elements() > 0;
}

Result<ResizeMode> resize_mode(const NodeContext& node) {
  ResizeMode mode;
  HONE_TRY(mode.kind, resize_kind(node.text("mode")));
  HONE_TRY(mode.coordinates, resize_coordinates(node.text("coordinate_transformation_mode")));
  HONE_TRY(mode.nearest, resize_nearest(node.text("nearest_mode")));
  mode.cubic_a = node.real("cubic_coeff_a");
  mode.exclude_outside = node.integer("exclude_outside") != 0;
  mode.antialias = node.integer("antialias") != 0;
  if (mode.antialias && mode.kind == ResizeMode::Kind::Nearest) {
    return unsupported("antialias in mode nearest");
  }
  return mode;
}

Result<ResizePlan> resize_plan(const NodeContext& node, const Shape& x, const ResizeSizes& given) {
  ResizePlan plan;
  HONE_TRY(plan.mode, resize_mode(node));
  for (const int64_t extent : x) {
    plan.axes.push_back({.in = extent, .out = extent, .length = static_cast<double>(extent)});
  }
  HONE_TRY(const std::vector<size_t> axes, named_axes(node, x.size()));
  const bool sizes = is_given(given.sizes);
  if (is_given(given.scales) == sizes) {
    return bad_input("expected either scales or sizes, found ", sizes ? "both" : "neither");
  }
  if (!sizes) {
    HONE_RETURN_IF_ERROR(apply_scales(to_doubles(*given.scales), axes, plan));
  } else {
    HONE_RETURN_IF_ERROR(apply_sizes(node, to_ints(*given.sizes), axes, plan));
  }
  if (plan.mode.coordinates == ResizeMode::Coordinates::TfCropAndResize) {
    if (!is_given(given.roi)) return bad_input("tf_crop_and_resize needs a roi");
    HONE_RETURN_IF_ERROR(apply_roi(to_doubles(*given.roi), axes, plan));
  }
  for (const ResizeAxis& axis : plan.axes) {
    if (axis.in == 0 && axis.out > 0) return bad_input("an empty axis resized to ", axis.out);
    // Each place along an axis has an entry of some 70 bytes in a table.
    constexpr int64_t kLongest = int64_t{1} << 24;
    if (axis.out > kLongest && axis.out != axis.in) {
      return unsupported("an axis resized to ", axis.out, ", at most ", kLongest);
    }
  }
  return plan;
}

}  // namespace hone
