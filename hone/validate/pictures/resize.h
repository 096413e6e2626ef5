#pragma once

#include <vector>

#include "hone/wire/picture.h"

namespace hone {

// Pixels as numbers of 0 to 255, red, green and blue one after the other.
struct Pixels {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<float> rgb = {};
};

// Bilinear, with the centres of pixels at halves: output i is the mean of inputs weighted by a
// triangle around (i + 0.5) * inputs / outputs that reaches one input to each side. Where the picture
// shrinks and `antialias` is set, it reaches as many inputs as an output stands for: so do PIL and
// torchvision, while OpenCV and TensorFlow's older resize skip pixels. Beyond the edge is nothing;
// the weights of what is there sum up to 1.
Pixels resized(const Picture& picture, int64_t height, int64_t width, bool antialias);

// From the middle; an odd pixel more stays at the bottom and on the right. Requires extents of at
// most those of `pixels`.
Pixels cropped(const Pixels& pixels, int64_t height, int64_t width);

}  // namespace hone
