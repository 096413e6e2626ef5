// The parts of ShuffleNet v2 that classifiers and detectors share.
#pragma once

#include <array>
#include <vector>

#include "hone/zoo/builder.h"

namespace hone {

struct ShuffleNetV2Options {
  std::array<int64_t, 3> channels;  // Of each stage.
  double leak = 0;                  // Of the relus below 0.
  // Whether units part their input into even and odd channels, or mix the two halves of their
  // result: the code of the paper's authors does the one, torchvision's the other.
  bool parts_by_parity = false;
};

// The results of the three stages, at 1/8, 1/16 and 1/32 of the image's resolution.
std::vector<Value*> shufflenet_v2_stages(NetworkBuilder& b, Value* image,
                                         const ShuffleNetV2Options& options);

}  // namespace hone
