#include "hone/ops/op_def.h"
#include "hone/targets/npu/operations/product_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kConvOps[] = {"conv"};
constexpr std::string_view kForms[] = {"depthwise_conv"};

// A filter for each channel.
bool is_depthwise(const NodeWindow& window) {
  return window.groups > 1 && window.groups == window.in_channels &&
         window.groups == window.out_channels;
}

std::optional<NodeWindow> window(const Node& node) {
  const NodeContext context(*find_op(node.op), node);
  const auto conv =
      conv_geometry(context, node.inputs[0]->type.tensor.shape, node.inputs[1]->type.tensor.shape);
  if (!conv.ok()) return std::nullopt;
  return NodeWindow{conv->window,       conv->batch,  conv->in_channels,
                    conv->out_channels, conv->groups, conv->nhwc};
}

std::string_view form(const Node& node) {
  const auto sliding = window(node);
  return sliding && is_depthwise(*sliding) ? kForms[0] : kConvOps[0];
}

std::optional<Layer> make_conv(const Node& node, const EvalOptions& options) {
  const auto range = product_range(node);
  if (!range) return std::nullopt;
  const auto conv = window(node);
  if (!conv || !conv->nhwc || conv->window.rank > 2 || conv->batch != 1) return std::nullopt;
  const WindowAxis& height = conv->window.axes[1];
  const WindowAxis& width = conv->window.axes[2];
  Layer layer;
  layer.inputs = {{node.inputs[0], {height.in, width.in, conv->in_channels}}};
  layer.output.image = {height.out, width.out, conv->out_channels};
  layer.cuts_rows = true;
  sim::Product product;
  product.depthwise = is_depthwise(*conv);
  layer.groups = product.depthwise ? 1 : conv->groups;
  layer.cuts_channels = product.depthwise;
  product.input = view_of(layer.inputs[0].image);
  product.output = view_of(layer.output.image);
  product.window = window_of(height, width);
  set_arithmetic(node, options, *range, product);
  layer.weights =
      weights_of(node, conv->out_channels, scale_product(node.inputs[0]->type.tensor.dtype));
  layer.weights.depthwise = product.depthwise;
  layer.work = product;
  return layer;
}

}  // namespace

extern const OperationDef operation_conv = {.ops = kConvOps,
                                            .layer = make_conv,
                                            .weights = true,
                                            .window = window,
                                            .forms = kForms,
                                            .form = form};

}  // namespace hone::npu
