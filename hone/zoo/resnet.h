// ResNet's stages, which classifiers, detectors and segmentation networks share.
#pragma once

#include <array>
#include <vector>

#include "hone/zoo/builder.h"

namespace hone {

struct ResnetOptions {
  std::array<int, 4> blocks = {};  // Stages end at one without blocks.
  std::array<int64_t, 4> strides = {1, 2, 2, 2};
  bool bottleneck = true;
  // Of the 3x3 convolution of a bottleneck: ResNeXt has more groups, wide ResNets wider ones.
  int64_t groups = 1;
  int64_t group_width = 64;
  bool stride_in_first = false;  // Of a bottleneck's convolutions, as in the paper (v1).
  bool dilated = false;  // The last two stages keep the resolution and reach further instead.
};

constexpr ResnetOptions kResNext50 = {.blocks = {3, 4, 6, 3}, .groups = 32, .group_width = 4};

// The results of the stages, the first at a quarter of the image's resolution.
std::vector<Value*> resnet_stages(NetworkBuilder& b, Value* image, const ResnetOptions& options);

}  // namespace hone
