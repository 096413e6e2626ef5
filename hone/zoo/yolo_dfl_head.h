// The head of ultralytics' detectors since YOLOv8: a box is four distances from the middle of its
// cell, each the mean of a distribution over 16 values, and has 80 class scores.
#pragma once

#include <vector>

#include "hone/zoo/yolo_blocks.h"

namespace hone {

class YoloDflHead {
 public:
  // Light heads have depthwise and pointwise convolutions for the classes.
  YoloDflHead(NetworkBuilder& b, YoloBlocks& blocks, bool light)
      : b_(b), blocks_(blocks), light_(light) {}

  // [batch, 4 + classes, cells]: middle and size in pixels, and scores.
  Value* detect(const std::vector<Value*>& features, const std::vector<int64_t>& strides,
                const std::string& name);

  // Of three scales; also 32 masks, and for every box its weights of them.
  Graph finish_with_masks(const std::vector<Value*>& features, const std::string& name);

 private:
  Value* branch(const std::vector<Value*>& features, int64_t hidden, int64_t results, bool light,
                const std::string& name);
  Value* separable(Value* x, int64_t channels, const std::string& name);
  Value* distances(Value* x, const std::string& name);
  Value* decode(Value* x, const YoloCells& cells, const std::string& name);
  Value* prototypes(Value* x, const std::string& name);

  NetworkBuilder& b_;
  YoloBlocks& blocks_;
  bool light_;
};

}  // namespace hone
