// How a picture becomes a model's input, as preprocess.toml in a folder of pictures says:
//
//   resize = 256                    # the shorter side; [256, 256]: height and width
//   crop = 224                      # from the middle; [224, 224]
//   scale = 0.00392156862745098     # 1/255: value = (pixel * scale - mean) / std
//   mean = [0.485, 0.456, 0.406]
//   std = [0.229, 0.224, 0.225]
//   channels = "rgb"                # or bgr
//   layout = "nchw"                 # or nhwc
//   antialias = true                # false: as OpenCV resizes
//
// Every key may be left out.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/tensor/tensor.h"
#include "hone/wire/picture.h"

namespace hone {

struct Extent2d {
  int64_t height = 0;
  int64_t width = 0;
  bool operator==(const Extent2d&) const = default;
};

struct Preprocess {
  std::optional<int64_t> shorter_side = {};
  std::optional<Extent2d> resize = {};  // With neither the picture just covers what is cropped.
  std::optional<Extent2d> crop = {};    // Left out: the extents of the model's input.
  std::optional<double> scale = {};     // Left out: 1/255, and 1 where bytes go in as they are.
  std::array<double, 3> mean = {0, 0, 0};
  std::array<double, 3> std = {1, 1, 1};
  bool bgr = false;
  std::string layout = {};  // Left out: as the model's input has it.
  bool antialias = true;
};

// BadInput names the file, the line and the key.
Result<Preprocess> parse_preprocess(std::string_view text, const std::string& file);

// What pictures are turned into for one input of a model.
struct PictureInput {
  Preprocess how;
  TensorType type;  // Of a sample, [channels, height, width] or [height, width, channels].
  bool channels_last = false;
  Extent2d extents;
  bool grey = false;  // One channel: 0.299 red + 0.587 green + 0.114 blue.
};
// BadInput when the input is no picture, or not one that `how` makes. Inputs with a scale are
// given floats, which are quantized later.
Result<PictureInput> picture_input(const Preprocess& how, const TensorType& input);

// BadInput when the picture is smaller than what is to be cropped from it.
Result<Tensor> sample_of(const Picture& picture, const PictureInput& input);

// "resized to cover 224x224, its middle taken; rgb * 0.00392157; nchw".
std::string text_of(const PictureInput& input);

}  // namespace hone
