#include "hone/ops/vision/resize_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hone {
namespace {

using Kind = ResizeMode::Kind;
using Coordinates = ResizeMode::Coordinates;
using Nearest = ResizeMode::Nearest;

template <class T, size_t kCount>
Result<T> named(const char* what, const std::string& name,
                const std::pair<const char*, T> (&known)[kCount]) {
  for (const auto& [text, value] : known) {
    if (name == text) return value;
  }
  return unsupported(what, " '", name, "' is not known");
}

// Where output element x lies among the input elements.
double source_of(const ResizeAxis& axis, Coordinates coordinates, double x) {
  const auto in = static_cast<double>(axis.in);
  // Exact where extents were given: x / scale can miss a whole number by one unit.
  const auto unscale = [&](double value) {
    return axis.length == std::floor(axis.length) ? value * in / axis.length : value / axis.scale;
  };
  switch (coordinates) {
    case Coordinates::HalfPixel:
      return unscale(x + 0.5) - 0.5;
    case Coordinates::HalfPixelSymmetric: {
      const double adjustment = static_cast<double>(axis.out) / axis.length;
      return in / 2 * (1 - adjustment) + unscale(x + 0.5) - 0.5;
    }
    case Coordinates::PytorchHalfPixel:
      return axis.out > 1 ? unscale(x + 0.5) - 0.5 : 0;
    case Coordinates::AlignCorners:
      return axis.length == 1 ? 0 : x * (in - 1) / (axis.length - 1);
    case Coordinates::Asymmetric:
      return unscale(x);
    case Coordinates::TfHalfPixelForNn:
      return unscale(x + 0.5);
    case Coordinates::TfCropAndResize:
      break;
  }
  const double begin = axis.roi_begin * (in - 1);
  const double size = (axis.roi_end - axis.roi_begin) * (in - 1);
  if (axis.out == 1) return begin + size / 2;
  return begin + x * size / static_cast<double>(axis.out - 1);
}

double round_by(Nearest nearest, double x) {
  switch (nearest) {
    case Nearest::RoundPreferFloor:
      return std::ceil(x - 0.5);
    case Nearest::RoundPreferCeil:
      return std::floor(x + 0.5);
    case Nearest::Floor:
      return std::floor(x);
    case Nearest::Ceil:
      break;
  }
  return std::ceil(x);
}

double linear_weight(double distance) {
  return std::max(0.0, 1 - std::fabs(distance));
}

// Keys' cubic convolution kernel.
double cubic_weight(double distance, double a) {
  const double x = std::fabs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

void add_taps(const ResizeAxis& axis, const ResizeMode& mode, double x, ResizeTable& table) {
  const auto clamped = [&](double index) {
    return static_cast<int64_t>(std::clamp(index, 0.0, static_cast<double>(axis.in - 1)));
  };
  if (mode.kind == Kind::Nearest) {
    table.taps.push_back({clamped(round_by(mode.nearest, x)), 1});
    return;
  }
  // Antialiasing widens the kernel when the image shrinks.
  const double shrink = mode.antialias ? std::min(axis.scale, 1.0) : 1.0;
  const double support = (mode.kind == Kind::Cubic ? 2 : 1) / shrink;
  const size_t first = table.taps.size();
  double sum = 0;
  for (double i = std::floor(x - support) + 1; i < x + support; i += 1) {
    const double distance = (i - x) * shrink;
    double weight =
        mode.kind == Kind::Cubic ? cubic_weight(distance, mode.cubic_a) : linear_weight(distance);
    if (mode.exclude_outside && (i < 0 || i >= static_cast<double>(axis.in))) weight = 0;
    sum += weight;
    table.taps.push_back({clamped(i), weight});
  }
  const bool normalize = (mode.exclude_outside || mode.antialias) && sum != 0;
  for (size_t k = first; k < table.taps.size() && normalize; ++k) table.taps[k].weight /= sum;
}

}  // namespace

Result<Kind> resize_kind(const std::string& name) {
  static constexpr std::pair<const char*, Kind> kKnown[] = {
      {"nearest", Kind::Nearest}, {"linear", Kind::Linear}, {"cubic", Kind::Cubic}};
  return named("mode", name, kKnown);
}

Result<Coordinates> resize_coordinates(const std::string& name) {
  static constexpr std::pair<const char*, Coordinates> kKnown[] = {
      {"half_pixel", Coordinates::HalfPixel},
      {"half_pixel_symmetric", Coordinates::HalfPixelSymmetric},
      {"pytorch_half_pixel", Coordinates::PytorchHalfPixel},
      {"align_corners", Coordinates::AlignCorners},
      {"asymmetric", Coordinates::Asymmetric},
      {"tf_half_pixel_for_nn", Coordinates::TfHalfPixelForNn},
      {"tf_crop_and_resize", Coordinates::TfCropAndResize}};
  return named("coordinate_transformation_mode", name, kKnown);
}

Result<Nearest> resize_nearest(const std::string& name) {
  static constexpr std::pair<const char*, Nearest> kKnown[] = {
      {"round_prefer_floor", Nearest::RoundPreferFloor},
      {"round_prefer_ceil", Nearest::RoundPreferCeil},
      {"floor", Nearest::Floor},
      {"ceil", Nearest::Ceil}};
  return named("nearest_mode", name, kKnown);
}

bool ResizeTable::identity(const ResizeAxis& axis) const {
  if (axis.in != axis.out || std::ranges::find(outside, true) != outside.end()) return false;
  for (size_t i = 0; i + 1 < first.size(); ++i) {
    double own = 0;
    for (size_t k = first[i]; k < first[i + 1]; ++k) {
      const bool same = taps[k].index == static_cast<int64_t>(i);
      if (!same && taps[k].weight != 0) return false;
      if (same) own += taps[k].weight;
    }
    if (own != 1) return false;
  }
  return true;
}

ResizeTable resize_table(const ResizeAxis& axis, const ResizeMode& mode) {
  ResizeTable table;
  const auto last = static_cast<double>(axis.in - 1);
  for (int64_t i = 0; i < axis.out; ++i) {
    double x = source_of(axis, mode.coordinates, static_cast<double>(i));
    const bool crops = mode.coordinates == Coordinates::TfCropAndResize;
    table.first.push_back(table.taps.size());
    table.outside.push_back(crops && !(x >= 0 && x <= last));
    // Far outside the image every tap is its edge; this keeps indices representable.
    const double far = last + 8 + 4 / std::min(axis.scale, 1.0);
    x = std::isnan(x) ? 0 : std::clamp(x, -far, last + far);
    add_taps(axis, mode, x, table);
  }
  table.first.push_back(table.taps.size());
  return table;
}

}  // namespace hone
