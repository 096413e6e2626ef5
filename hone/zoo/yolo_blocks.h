// What the detectors of the YOLO family share: layers of a convolution, a batch norm and an
// activation, and the cells that boxes are relative to, for any size of the image.
#pragma once

#include <span>
#include <vector>

#include "hone/zoo/builder.h"

namespace hone {

class YoloBlocks {
 public:
  enum class Act { Silu, Leaky };

  YoloBlocks(NetworkBuilder& b, Act act, double epsilon) : b_(b), act_(act), epsilon_(epsilon) {}

  // As name.conv, name.bn and name.act.
  Value* conv(Value* x, int64_t channels, int64_t kernel, int64_t stride, const std::string& name);
  // One filter per channel.
  Value* depthwise(Value* x, int64_t kernel, const std::string& name);
  // Without activation.
  Value* linear(Value* x, const Conv& conv, const std::string& name);
  // Two convolutions whose result is added to x where `shortcut`.
  Value* bottleneck(Value* x, int64_t channels, int64_t first_kernel, bool shortcut,
                    const std::string& name);
  // 5x5 max pools in a row, all concatenated between two pointwise layers.
  Value* sppf(Value* x, int64_t channels, const std::string& name);

 private:
  Value* activate(Value* x, const std::string& name);

  NetworkBuilder& b_;
  Act act_;
  double epsilon_;
};

// 0, 1, ... along an axis of x, as floats.
Value* yolo_positions(NetworkBuilder& b, Value* x, int64_t axis, const std::string& name);

// Cells of several feature maps, one map behind the other.
struct YoloCells {
  Value* corners = nullptr;  // Column and row, [1, 2, cells].
  Value* strides = nullptr;  // Pixels per cell, [1, 1, cells].
};
YoloCells yolo_cells(NetworkBuilder& b, const std::vector<Value*>& features,
                     const std::vector<int64_t>& strides, const std::string& name);

// Of [batch, anchors * fields, h, w], the boxes of one scale, [batch, anchors * cells, fields]:
// centre and size in pixels, and scores. `anchors` are widths and heights.
Value* yolo_anchor_boxes(NetworkBuilder& b, Value* x, std::span<const float> anchors,
                         int64_t stride, const std::string& name);

// Features of [batch, channels, h, w] as [batch, channels, cells], concatenated.
Value* yolo_flatten(NetworkBuilder& b, const std::vector<Value*>& features,
                    const std::string& name);

}  // namespace hone
