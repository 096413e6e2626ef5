// Padding as TFLite has it: SAME, VALID, or an operator of its own in front.
#pragma once

#include <optional>

#include "hone/model/tflite_export.h"
#include "hone/ops/conv/geometry.h"

namespace hone {

// An image as TFLite's convolutions and pools take it, [N, H, W, C], and how it is padded.
struct TfliteImage {
  int tensor = -1;
  std::string padding;
};

// The image that a node reads, with a PAD in front where neither SAME nor VALID says the same; of
// `fill`, or of zeros where there is none. Rows of pixels become images of height 1.
TfliteImage padded_image(TfliteExport& out, const Node& node, const Window& window,
                         const std::optional<Tensor>& fill = {});
// The tensor that an operator on images is to write: the node's output, whose tensor is made of it
// by end_image where it is a row of pixels.
int begin_image(TfliteExport& out, const Node& node);
void end_image(TfliteExport& out, const Node& node, int image);

// Whether a window with TFLite's SAME goes where this one goes.
bool is_same_padding(const WindowAxis& axis);

// Unsupported unless the node's image has its channels last and one or two spatial axes.
Status check_image_node(const Node& node);

}  // namespace hone
