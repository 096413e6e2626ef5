// TFLite's pools never count padding, and have it as SAME or not at all.

#include <algorithm>
#include <limits>

#include "hone/model/tflite_rules/padding.h"
#include "hone/ops/pool/windows.h"

namespace hone {
namespace {

Result<PoolGeometry> geometry_of(const Node& node) {
  HONE_RETURN_IF_ERROR(check_image_node(node));
  HONE_TRY(const PoolGeometry pool,
           pool_geometry(NodeContext(*find_op(node.op), node), node.inputs[0]->type.tensor.shape));
  for (const WindowAxis& axis : pool.window.used()) {
    if (axis.dilation != 1) return unsupported("a pool with dilations");
  }
  return pool;
}

Status add_pool(TfliteExport& out, const Node& node, std::string_view op, const Window& window,
                const TfliteImage& image) {
  HONE_TRY(const std::string activation, tflite_activation(node));
  const WindowAxis& h = window.axes[1];
  const WindowAxis& w = window.axes[2];
  const int y = begin_image(out, node);
  out.add(op, {image.tensor}, {y},
          {{"padding", image.padding},
           {"stride_h", h.stride},
           {"stride_w", w.stride},
           {"filter_height", h.kernel},
           {"filter_width", w.kernel},
           {"fused_activation_function", activation}});
  end_image(out, node, y);
  return Done{};
}

bool is_padded(const Window& window) {
  for (const WindowAxis& axis : window.used()) {
    const int64_t end = (axis.out - 1) * axis.stride + axis.reach() - axis.pad_begin;
    if (axis.pad_begin > 0 || end > axis.in) return true;
  }
  return false;
}

// Windows that reach beyond the padding count fewer pixels than the others.
bool reaches_beyond_padding(const Window& window) {
  return std::ranges::any_of(window.used(), [](const WindowAxis& axis) {
    const int64_t end = (axis.out - 1) * axis.stride + axis.reach() - axis.pad_begin;
    return end > axis.in + axis.pad_end;
  });
}

Status write_average_pool(TfliteExport& out, const Node& node) {
  HONE_TRY(const PoolGeometry pool, geometry_of(node));
  const Window& window = pool.window;
  const bool counted = export_attr<int64_t>(node, "count_include_pad") != 0;
  const bool same = is_same_padding(window.axes[1]) && is_same_padding(window.axes[2]);
  if (is_padded(window) && !counted && !same) {
    return unsupported("means beside padding that is neither SAME nor counted");
  }
  if (is_padded(window) && counted && (same || reaches_beyond_padding(window))) {
    return unsupported("means that count the padding of SAME, or some of it");
  }
  return add_pool(out, node, "AVERAGE_POOL_2D", window, padded_image(out, node, window));
}

// What no maximum is below.
Tensor lowest_of(const TensorType& type) {
  if (type.dtype == DType::I8) {
    return Tensor::scalar<int8_t>(-128).with_quantization(type.quant);
  }
  if (type.dtype == DType::U8) return Tensor::scalar<uint8_t>(0).with_quantization(type.quant);
  if (type.dtype == DType::I16) {
    return Tensor::scalar<int16_t>(-32768).with_quantization(type.quant);
  }
  return Tensor::scalar(std::numeric_limits<float>::lowest());
}

Status write_max_pool(TfliteExport& out, const Node& node) {
  if (node.outputs.size() != 1) return unsupported("a pool that tells where its maxima are");
  HONE_TRY(const PoolGeometry pool, geometry_of(node));
  const Tensor lowest = lowest_of(node.inputs[0]->type.tensor);
  return add_pool(out, node, "MAX_POOL_2D", pool.window,
                  padded_image(out, node, pool.window, lowest));
}

Status add_global(TfliteExport& out, const Node& node, std::string_view op) {
  const bool nhwc = export_attr<std::string>(node, "layout") == "nhwc";
  Ints axes;
  for (int64_t i = 1; i < node.inputs[0]->type.tensor.rank() - 1; ++i) {
    axes.push_back(nhwc ? i : i + 1);
  }
  const Value* y = node.outputs[0];
  out.add(op, {out.tensor(node.inputs[0]), out.ints(y->name + "/axes", axes)}, {out.tensor(y)},
          {{"keep_dims", true}});
  return Done{};
}

Status write_global_average_pool(TfliteExport& out, const Node& node) {
  return add_global(out, node, "MEAN");
}

Status write_global_max_pool(TfliteExport& out, const Node& node) {
  return add_global(out, node, "REDUCE_MAX");
}

}  // namespace

extern const std::vector<TfliteExportRule> tflite_pool_rules = {
    {"average_pool", write_average_pool},
    {"global_average_pool", write_global_average_pool},
    {"global_max_pool", write_global_max_pool},
    {"max_pool", write_max_pool},
};

}  // namespace hone
