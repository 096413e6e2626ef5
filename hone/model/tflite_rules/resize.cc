#include <cmath>

#include "hone/model/tflite_export.h"
#include "hone/ops/movement/transpose_tflite.h"  // permuted

namespace hone {
namespace {

struct ResizeModes {
  std::string mode;
  std::string coordinates;
  std::string nearest;
};

ResizeModes modes_of(const Node& node) {
  return {export_attr<std::string>(node, "mode"),
          export_attr<std::string>(node, "coordinate_transformation_mode"),
          export_attr<std::string>(node, "nearest_mode")};
}

// The pixel that ONNX takes for pixel i of `out`.
int64_t nearest_pixel(const ResizeModes& modes, int64_t i, int64_t in, int64_t out) {
  const double scale = static_cast<double>(in) / static_cast<double>(out);
  const bool half = modes.coordinates == "half_pixel" || modes.coordinates == "pytorch_half_pixel";
  const double at =
      half ? (static_cast<double>(i) + 0.5) * scale - 0.5 : static_cast<double>(i) * scale;
  double pixel = std::floor(at);
  if (modes.nearest == "ceil") pixel = std::ceil(at);
  if (modes.nearest == "round_prefer_floor") pixel = std::ceil(at - 0.5);
  if (modes.nearest == "round_prefer_ceil") pixel = std::floor(at + 0.5);
  return static_cast<int64_t>(std::fmin(std::fmax(pixel, 0), static_cast<double>(in - 1)));
}

// Whether all pixels are those of TFLite's plain form, i * in / out cut to a whole number.
bool takes_pixels_plainly(const ResizeModes& modes, const Shape& x, const Shape& y) {
  for (size_t axis = 1; axis < 3; ++axis) {
    for (int64_t i = 0; i < y[axis]; ++i) {
      if (nearest_pixel(modes, i, x[axis], y[axis]) != i * x[axis] / y[axis]) return false;
    }
  }
  return true;
}

struct TfliteCorners {
  bool align = false;
  bool half_pixel = false;
};

Result<TfliteCorners> linear_corners(const ResizeModes& modes, const Shape& y) {
  if (modes.coordinates == "align_corners") return TfliteCorners{.align = true};
  if (modes.coordinates == "asymmetric") return TfliteCorners{};
  const bool pytorch = modes.coordinates == "pytorch_half_pixel" && y[1] > 1 && y[2] > 1;
  if (modes.coordinates == "half_pixel" || pytorch) return TfliteCorners{.half_pixel = true};
  return unsupported("a resize with coordinates ", modes.coordinates);
}

Result<TfliteCorners> nearest_corners(const ResizeModes& modes, const Shape& x, const Shape& y) {
  if (modes.coordinates == "align_corners" && modes.nearest == "round_prefer_ceil") {
    return TfliteCorners{.align = true};
  }
  if (modes.coordinates == "tf_half_pixel_for_nn" && modes.nearest == "floor") {
    return TfliteCorners{.half_pixel = true};
  }
  const bool known = modes.coordinates == "asymmetric" || modes.coordinates == "half_pixel" ||
                     modes.coordinates == "pytorch_half_pixel";
  if (known && takes_pixels_plainly(modes, x, y)) return TfliteCorners{};
  return unsupported("a resize with coordinates ", modes.coordinates, ", rounded by ",
                     modes.nearest);
}

// Factors that do not lead to the extents exactly would place pixels a little off.
bool scales_exactly(const Node& node) {
  const Value* scales = export_input(node, 2);
  if (scales == nullptr || !scales->constant) return true;
  const Shape& x = node.inputs[0]->type.tensor.shape;
  const Shape& y = node.outputs[0]->type.tensor.shape;
  const auto factors = scales->constant->data<float>();
  const Ints* axes = node.find_attr<Ints>("axes");
  for (size_t i = 0; i < factors.size(); ++i) {
    int64_t axis = axes == nullptr ? static_cast<int64_t>(i) : (*axes)[i];
    if (axis < 0) axis += std::ssize(x);
    const auto at = static_cast<size_t>(axis);
    const double ratio = static_cast<double>(y[at]) / static_cast<double>(x[at]);
    if (std::abs(ratio - double{factors[i]}) > 1e-6 * ratio) return false;
  }
  return true;
}

const Ints kToLast = {0, 2, 3, 1};
const Ints kToFirst = {0, 3, 1, 2};

// Between images with channels last, as TFLite has them.
Status add_resize(TfliteExport& out, const Node& node, int x, const Shape& from, int y,
                  const Shape& to) {
  const ResizeModes modes = modes_of(node);
  const bool linear = modes.mode == "linear";
  if (!linear && modes.mode != "nearest") return unsupported("a resize of mode ", modes.mode);
  HONE_TRY(const TfliteCorners corners,
           linear ? linear_corners(modes, to) : nearest_corners(modes, from, to));
  const int size = out.ints(node.outputs[0]->name + "/size", {to[1], to[2]});
  out.add(linear ? "RESIZE_BILINEAR" : "RESIZE_NEAREST_NEIGHBOR", {x, size}, {y},
          {{"align_corners", corners.align}, {"half_pixel_centers", corners.half_pixel}});
  return Done{};
}

Status resize_channels_first(TfliteExport& out, const Node& node) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  const TensorType from = permuted(x->type.tensor, kToLast);
  const TensorType to = permuted(y->type.tensor, kToLast);
  const int turned = out.temporary(x->name + "/turned", from);
  const int resized = out.temporary(y->name + "/turned", to);
  out.add("TRANSPOSE", {out.tensor(x), out.ints(x->name + "/perm", kToLast)}, {turned});
  HONE_RETURN_IF_ERROR(add_resize(out, node, turned, from.shape, resized, to.shape));
  out.add("TRANSPOSE", {resized, out.ints(y->name + "/perm", kToFirst)}, {out.tensor(y)});
  return Done{};
}

Status write_resize(TfliteExport& out, const Node& node) {
  const Shape& from = node.inputs[0]->type.tensor.shape;
  const Shape& to = node.outputs[0]->type.tensor.shape;
  if (export_attr<int64_t>(node, "antialias") != 0 || !scales_exactly(node)) {
    return unsupported("a resize with antialiasing, or by factors that are not whole extents");
  }
  const bool image = from.size() == 4 && from[0] == to[0];
  if (image && from[3] == to[3]) {
    return add_resize(out, node, out.tensor(node.inputs[0]), from, out.tensor(node.outputs[0]), to);
  }
  if (image && from[1] == to[1]) return resize_channels_first(out, node);
  return unsupported("a resize of other axes than height and width");
}

}  // namespace

extern const std::vector<TfliteExportRule> tflite_resize_rules = {
    {"resize", write_resize},
};

}  // namespace hone
