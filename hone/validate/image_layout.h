// Channels first or channels last: how one order of an image's axes is turned into the other.
#pragma once

#include <optional>

#include "hone/graph/attr.h"
#include "hone/tensor/tensor.h"

namespace hone {

// The extents that are not 1: what shapes of one array have in common however it was reshaped.
Shape without_ones(const Shape& shape);

// The order of axes that turns a batch of images of shape `from` into `to`, the channels going from
// the second place to the last or back. Nothing when that does not fit, or fewer than three axes.
std::optional<Ints> layout_change(const Shape& from, const Shape& to);

// The same elements in shape `to`: as they are when the extents other than 1 are the same, turned
// when the layouts differ. `prefer_turned` decides where both would fit. Nothing when neither does.
std::optional<Tensor> arranged(const Tensor& tensor, const Shape& to, bool prefer_turned = false);

}  // namespace hone
