// The parts of MobileNet v1 and v2 that classifiers and detectors share.
#pragma once

#include <vector>

#include "hone/zoo/builder.h"

namespace hone {

struct MobileNetV1Options {
  double alpha = 1;  // Scales every width.
  Nonlinearity activation = Nonlinearity::Relu6;
  bool conv_bias = false;
};

// The results of the 13 blocks, the first at half of the image's resolution.
std::vector<Value*> mobilenet_v1_blocks(NetworkBuilder& b, Value* image,
                                        const MobileNetV1Options& options);

struct MobileNetV2Features {
  Value* expanded = nullptr;  // Inside of block 14: 576 channels at 1/16 of the resolution.
  Value* last = nullptr;      // 1280 channels at 1/32; more where the width is over 1.
};

MobileNetV2Features mobilenet_v2_features(NetworkBuilder& b, Value* image,
                                          Nonlinearity activation = Nonlinearity::Relu6,
                                          double width = 1);

}  // namespace hone
