#include "hone/sim/view_checks.h"

#include "hone/base/check.h"

namespace hone::sim {

bool same_pixels(const View& a, const View& b) {
  return a.height == b.height && a.width == b.width;
}

void check_pair(size_t index, const VectorCommand& command) {
  const View& y = command.output;
  const auto fits = [&](const View& view) {
    return same_pixels(view, y) && (view.channels == y.channels || view.channels == 1);
  };
  HONE_CHECK(fits(command.a) && fits(command.b), "command ", index,
             " has operands of different extents");
}

void check_alike(size_t index, const VectorCommand& command) {
  HONE_CHECK(
      same_pixels(command.a, command.output) && command.a.channels == command.output.channels,
      "command ", index, " has operands of different extents");
}

void check_channels(size_t index, const VectorCommand& command) {
  HONE_CHECK(command.a.channels == command.output.channels, "command ", index,
             " changes the channels");
}

void check_window(size_t index, const View& input, const Window2d& window) {
  const bool sound = window.kernel_h > 0 && window.kernel_w > 0 && window.stride_h > 0 &&
                     window.stride_w > 0 && window.dilation_h > 0 && window.dilation_w > 0;
  HONE_CHECK(sound, "command ", index, " has a window of nothing");
  HONE_CHECK(-window.pad_top < input.height && -window.pad_left < input.width, "command ", index,
             " reads behind its input");
}

}  // namespace hone::sim
