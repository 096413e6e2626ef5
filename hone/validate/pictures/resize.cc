#include "hone/validate/pictures/resize.h"

#include <algorithm>
#include <cmath>

#include "hone/base/check.h"

namespace hone {
namespace {

constexpr int64_t kRgb = 3;

// The inputs that one output is a mean of, along one axis.
struct Taps {
  int64_t first = 0;
  std::vector<float> weights = {};
};

std::vector<Taps> taps_along(int64_t inputs, int64_t outputs, bool antialias) {
  const double ratio = static_cast<double>(inputs) / static_cast<double>(outputs);
  const double reach = antialias ? std::max(ratio, 1.0) : 1.0;
  std::vector<Taps> all;
  for (int64_t i = 0; i < outputs; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * ratio;
    const auto first = static_cast<int64_t>(std::max(std::floor(centre - reach + 0.5), 0.0));
    const auto end = std::min(static_cast<int64_t>(std::floor(centre + reach + 0.5)), inputs);
    Taps taps{first, {}};
    double sum = 0;
    for (int64_t x = first; x < end; ++x) {
      const double far = std::abs(static_cast<double>(x) + 0.5 - centre) / reach;
      taps.weights.push_back(static_cast<float>(std::max(1 - far, 0.0)));
      sum += taps.weights.back();
    }
    for (float& weight : taps.weights) weight = static_cast<float>(weight / sum);
    all.push_back(std::move(taps));
  }
  return all;
}

// Rows keep their number, columns become `width`.
Pixels resized_across(const Picture& picture, int64_t width, bool antialias) {
  const std::vector<Taps> taps = taps_along(picture.width, width, antialias);
  Pixels result{picture.height, width, {}};
  result.rgb.reserve(static_cast<size_t>(picture.height * width * kRgb));
  for (int64_t y = 0; y < picture.height; ++y) {
    for (const Taps& tap : taps) {
      const uint8_t* from = picture.rgb.data() + (y * picture.width + tap.first) * kRgb;
      float sums[kRgb] = {};
      for (const float weight : tap.weights) {
        for (int64_t c = 0; c < kRgb; ++c) sums[c] += weight * static_cast<float>(*from++);
      }
      result.rgb.insert(result.rgb.end(), std::begin(sums), std::end(sums));
    }
  }
  return result;
}

Pixels resized_down(const Pixels& pixels, int64_t height, bool antialias) {
  const auto row = static_cast<size_t>(pixels.width * kRgb);
  Pixels result{height, pixels.width, std::vector<float>(static_cast<size_t>(height) * row)};
  float* to = result.rgb.data();
  for (const Taps& tap : taps_along(pixels.height, height, antialias)) {
    const float* from = pixels.rgb.data() + static_cast<size_t>(tap.first) * row;
    for (const float weight : tap.weights) {
      for (size_t i = 0; i < row; ++i) to[i] += weight * from[i];
      from += row;
    }
    to += row;
  }
  return result;
}

}  // namespace

Pixels resized(const Picture& picture, int64_t height, int64_t width, bool antialias) {
  return resized_down(resized_across(picture, width, antialias), height, antialias);
}

Pixels cropped(const Pixels& pixels, int64_t height, int64_t width) {
  HONE_CHECK(height <= pixels.height && width <= pixels.width, "cropping to more than there is");
  if (height == pixels.height && width == pixels.width) return pixels;
  const int64_t top = (pixels.height - height) / 2, left = (pixels.width - width) / 2;
  Pixels result{height, width, {}};
  for (int64_t y = 0; y < height; ++y) {
    const auto from = pixels.rgb.begin() + ((top + y) * pixels.width + left) * kRgb;
    result.rgb.insert(result.rgb.end(), from, from + width * kRgb);
  }
  return result;
}

}  // namespace hone
