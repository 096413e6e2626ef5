#pragma once

#include <optional>

#include "hone/ops/conv/geometry.h"

namespace hone {

// A gemm that is a fully connected layer, rows times constant weights of [out, in], as a convolution of
// images of one pixel. Nothing where it is another.
std::optional<ConvGeometry> dense_geometry(const Node& gemm);

}  // namespace hone
