#include "hone/validate/pictures/preprocess.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/base/text.h"
#include "hone/device/toml_text.h"
#include "hone/tensor/dispatch.h"
#include "hone/validate/pictures/resize.h"

namespace hone {
namespace {

constexpr int64_t kLargestExtent = 1 << 14;
constexpr double kLargestFigure = 1e6;
constexpr double kPixelScale = 1.0 / 255;

// A number is both extents.
Result<Extent2d> read_extent(const TomlSection& in, std::string_view key) {
  if (const auto both = in.count(key, 1, kLargestExtent); both.ok()) return Extent2d{*both, *both};
  const auto pair = in.list(key, 1, static_cast<double>(kLargestExtent));
  const bool whole = pair.ok() && pair->size() == 2 && std::ranges::all_of(*pair, [](double each) {
                       return each == std::floor(each);
                     });
  if (!whole) {
    return in.expected(key,
                       str("a whole number from 1 to ", kLargestExtent, ", or [height, width]"));
  }
  return Extent2d{static_cast<int64_t>((*pair)[0]), static_cast<int64_t>((*pair)[1])};
}

Status read_resize(const TomlSection& in, Preprocess& how) {
  if (!in.has("resize")) return Done{};
  if (const auto side = in.count("resize", 1, kLargestExtent); side.ok()) {
    how.shorter_side = *side;
    return Done{};
  }
  HONE_TRY(how.resize, read_extent(in, "resize"));
  return Done{};
}

// One number for all channels, or one for each in the order in which they go in.
Status read_per_channel(const TomlSection& in, std::string_view key, double least,
                        std::array<double, 3>& values) {
  if (!in.has(key)) return Done{};
  if (const auto all = in.number_in(key, least, kLargestFigure); all.ok()) {
    values.fill(*all);
    return Done{};
  }
  const auto each = in.list(key, least, kLargestFigure);
  if (!each.ok() || (each->size() != 1 && each->size() != 3)) {
    return in.expected(key, str("one number or three, from ", least, " to ", kLargestFigure));
  }
  for (size_t c = 0; c < values.size(); ++c) values[c] = (*each)[each->size() == 1 ? 0 : c];
  return Done{};
}

Status read_words(const TomlSection& in, Preprocess& how) {
  static constexpr std::string_view kChannels[] = {"rgb", "bgr"};
  static constexpr std::string_view kLayouts[] = {"nchw", "nhwc"};
  if (in.has("channels")) {
    HONE_TRY(const std::string channels, in.one_of("channels", kChannels));
    how.bgr = channels == "bgr";
  }
  if (in.has("layout")) {
    HONE_TRY(how.layout, in.one_of("layout", kLayouts));
  }
  HONE_TRY(how.antialias, in.flag_or("antialias", how.antialias));
  return Done{};
}

Result<Preprocess> read_preprocess(const TomlSection& in) {
  for (const char* key :
       {"resize", "crop", "scale", "mean", "std", "channels", "layout", "antialias"}) {
    in.has(key);
  }
  HONE_RETURN_IF_ERROR(in.no_other_keys());
  Preprocess how;
  HONE_RETURN_IF_ERROR(read_resize(in, how));
  if (in.has("crop")) {
    HONE_TRY(how.crop, read_extent(in, "crop"));
  }
  if (in.has("scale")) {
    HONE_TRY(how.scale, in.number_in("scale", 1e-9, kLargestFigure));
  }
  HONE_RETURN_IF_ERROR(read_per_channel(in, "mean", -kLargestFigure, how.mean));
  HONE_RETURN_IF_ERROR(read_per_channel(in, "std", 1e-9, how.std));
  HONE_RETURN_IF_ERROR(read_words(in, how));
  return how;
}

bool is_channels(int64_t extent) {
  return extent == 1 || extent == 3;
}

// Whether the channels of an input [..., C, H, W] or [..., H, W, C] are the last axis.
Result<bool> has_channels_last(const Preprocess& how, const Shape& shape) {
  const bool first = is_channels(shape[0]), last = is_channels(shape[2]);
  const bool asked_last = how.layout == "nhwc";
  if (!first && !last) return bad_input("has no axis of 1 or 3 channels");
  if (how.layout.empty()) return shape[0] != 3 && (shape[2] == 3 || !first);
  if (asked_last ? last : first) return asked_last;
  return bad_input("is not ", how.layout, ", which preprocess.toml asks for");
}

// Without the batch; BadInput when that leaves no picture.
Result<Shape> picture_shape(const TensorType& input) {
  if (!input.ranked || input.rank() < 3 || input.rank() > 4) {
    return bad_input("is ", input, ", expected a picture with or without a batch");
  }
  return Shape(input.shape.end() - 3, input.shape.end());
}

Status set_extents(int64_t height, int64_t width, PictureInput& input) {
  const std::optional<Extent2d>& crop = input.how.crop;
  if (!crop && (height == kUnknown || width == kUnknown)) {
    return bad_input("leaves its extents open: `crop` in preprocess.toml gives them");
  }
  input.extents = crop.value_or(Extent2d{height, width});
  const auto fits = [](int64_t wanted, int64_t given) {
    return wanted == kUnknown || wanted == given;
  };
  if (fits(height, input.extents.height) && fits(width, input.extents.width)) return Done{};
  return bad_input("takes ", height, " x ", width, ", but preprocess.toml crops to ", crop->height,
                   " x ", crop->width);
}

// Floats are given to all inputs that are floats or have a scale.
DType sample_dtype(const TensorType& input) {
  if (kFloat.contains(input.dtype)) return input.dtype;
  return kInteger.contains(input.dtype) && !input.quantized() ? input.dtype : DType::F32;
}

Extent2d resized_extent(const Picture& picture, const PictureInput& input) {
  const Preprocess& how = input.how;
  if (how.resize) return *how.resize;
  const auto height = static_cast<double>(picture.height);
  const auto width = static_cast<double>(picture.width);
  if (how.shorter_side) {
    const double factor = static_cast<double>(*how.shorter_side) / std::min(height, width);
    // The longer side is cut down to whole pixels, as torchvision does.
    return {std::max(static_cast<int64_t>(height * factor + 1e-9), *how.shorter_side),
            std::max(static_cast<int64_t>(width * factor + 1e-9), *how.shorter_side)};
  }
  const double factor = std::max(static_cast<double>(input.extents.height) / height,
                                 static_cast<double>(input.extents.width) / width);
  return {std::max(std::llround(height * factor), static_cast<long long>(input.extents.height)),
          std::max(std::llround(width * factor), static_cast<long long>(input.extents.width))};
}

// The channels of a pixel in the order in which they go in.
std::array<double, 3> channels_of(const float* rgb, const PictureInput& input) {
  if (input.grey) return {0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2], 0, 0};
  if (input.how.bgr) return {rgb[2], rgb[1], rgb[0]};
  return {rgb[0], rgb[1], rgb[2]};
}

std::vector<double> normalized(const Pixels& pixels, const PictureInput& input) {
  const size_t channels = input.grey ? 1 : 3, count = pixels.rgb.size() / 3;
  std::vector<double> values(channels * count);
  for (size_t pixel = 0; pixel < count; ++pixel) {
    const std::array<double, 3> from = channels_of(pixels.rgb.data() + 3 * pixel, input);
    for (size_t c = 0; c < channels; ++c) {
      values[input.channels_last ? pixel * channels + c : c * count + pixel] =
          (from[c] * *input.how.scale - input.how.mean[c]) / input.how.std[c];
    }
  }
  return values;
}

// Integers are rounded and kept within their type.
Tensor tensor_of(const std::vector<double>& values, const TensorType& type) {
  Tensor result(type);
  dispatch_numeric(type.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::span<T> to = result.mutable_data<T>();
    for (size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_integral_v<T>) {
        constexpr auto kLow = static_cast<double>(std::numeric_limits<T>::min());
        constexpr auto kHigh = static_cast<double>(std::numeric_limits<int32_t>::max());
        constexpr double kMost =
            std::min(static_cast<double>(std::numeric_limits<T>::max()), kHigh);
        to[i] = static_cast<T>(std::clamp(std::round(values[i]), kLow, kMost));
      } else {
        to[i] = static_cast<T>(values[i]);
      }
    }
  });
  return result;
}

std::string listed(const std::array<double, 3>& values) {
  return str(values[0], " ", values[1], " ", values[2]);
}

}  // namespace

Result<Preprocess> parse_preprocess(std::string_view text, const std::string& file) {
  return parse_toml(text, file, read_preprocess);
}

Result<PictureInput> picture_input(const Preprocess& how, const TensorType& type) {
  PictureInput input{.how = how, .type = {}, .extents = {}};
  HONE_TRY(const Shape shape, picture_shape(type));
  HONE_TRY(input.channels_last, has_channels_last(how, shape));
  const size_t rows = input.channels_last ? 0 : 1;
  HONE_RETURN_IF_ERROR(set_extents(shape[rows], shape[rows + 1], input));
  const int64_t channels = shape[input.channels_last ? 2 : 0];
  input.grey = channels == 1;
  const auto [height, width] = input.extents;
  input.type = {sample_dtype(type), input.channels_last ? Shape{height, width, channels}
                                                        : Shape{channels, height, width}};
  const bool bytes_as_they_are = kInteger.contains(input.type.dtype);
  if (!input.how.scale) input.how.scale = bytes_as_they_are ? 1.0 : kPixelScale;
  return input;
}

Result<Tensor> sample_of(const Picture& picture, const PictureInput& input) {
  const Extent2d to = resized_extent(picture, input);
  const Extent2d& wanted = input.extents;
  if (to.height < wanted.height || to.width < wanted.width) {
    return bad_input("is ", to.height, " x ", to.width, " once it is resized, expected at least ",
                     wanted.height, " x ", wanted.width, " to crop from");
  }
  const Pixels pixels = resized(picture, to.height, to.width, input.how.antialias);
  return tensor_of(normalized(cropped(pixels, wanted.height, wanted.width), input), input.type);
}

std::string text_of(const PictureInput& input) {
  const Preprocess& how = input.how;
  const std::string extents = str(input.extents.height, "x", input.extents.width);
  std::string text = str("resized to cover ", extents);
  if (how.resize) text = str("resized to ", how.resize->height, "x", how.resize->width);
  if (how.shorter_side) text = str("shorter side resized to ", *how.shorter_side);
  text += str(", the middle ", extents, " taken; ", input.grey ? "grey" : how.bgr ? "bgr" : "rgb");
  text += *how.scale == kPixelScale ? " / 255" : *how.scale == 1 ? "" : str(" * ", *how.scale);
  if (how.mean != std::array<double, 3>{0, 0, 0}) text += str(", less ", listed(how.mean));
  if (how.std != std::array<double, 3>{1, 1, 1}) text += str(", over ", listed(how.std));
  return str(text, "; ", input.channels_last ? "nhwc" : "nchw");
}

}  // namespace hone
