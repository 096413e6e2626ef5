// Images blended between pixels, as TFLite does it: positions have ten bits behind the point.

#include "hone/ops/vision/resize_quantized.h"

#include "hone/targets/c_code/emitter.h"

namespace hone::c_code {
namespace {

// Of every row or column of the result: the pixel before, the one behind, and how far it lies between them.
Array pixels_between(int64_t in, int64_t out, const std::string& coordinates) {
  std::vector<int32_t> values;
  for (const PixelSource& source : pixel_sources(in, out, coordinates)) {
    const int64_t between = source.position - (source.low << kPixelBits);
    for (const int64_t value : {source.low, source.high, between}) {
      values.push_back(static_cast<int32_t>(value));
    }
  }
  return values;
}

}  // namespace

Result<Step> emit_linear_resize(const Node& node, const EmitOptions& options) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
  const Shape& x = node.inputs[0]->type.tensor.shape;
  const Shape& y = node.outputs[0]->type.tensor.shape;
  const NodeContext context(*find_op(node.op), node);
  const std::string& coordinates = context.text("coordinate_transformation_mode");
  return Step{
      .calls = {{options.core.hvx ? "hone_hvx_resize" : "hone_resize",
                 {str(x[0]), str(x[1]), str(x[2]), str(x[3]), str(y[1]), str(y[2]), "c0", "c1",
                  "x0", "y"}}},
      .arrays = {pixels_between(x[1], y[1], coordinates), pixels_between(x[2], y[2], coordinates)},
      .reads = {node.inputs[0]},
      .write = node.outputs[0]};
}

}  // namespace hone::c_code
