// Which input elements, with what weights, make each output element along one axis of a resize.
// Interpolation is separable, so a table per axis says everything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/base/result.h"

namespace hone {

struct ResizeAxis {
  int64_t in = 1;
  int64_t out = 1;
  double scale = 1;   // out / in, or the factor given.
  double length = 1;  // in * scale; a whole number only when the extents were given.
  double roi_begin = 0;
  double roi_end = 1;
};

struct ResizeMode {
  enum class Kind { Nearest, Linear, Cubic };
  enum class Coordinates {
    HalfPixel,
    HalfPixelSymmetric,
    PytorchHalfPixel,
    AlignCorners,
    Asymmetric,
    TfHalfPixelForNn,
    TfCropAndResize,
  };
  enum class Nearest { RoundPreferFloor, RoundPreferCeil, Floor, Ceil };

  Kind kind = Kind::Nearest;
  Coordinates coordinates = Coordinates::HalfPixel;
  Nearest nearest = Nearest::RoundPreferFloor;
  double cubic_a = -0.75;
  bool exclude_outside = false;
  bool antialias = false;
};

Result<ResizeMode::Kind> resize_kind(const std::string& name);
Result<ResizeMode::Coordinates> resize_coordinates(const std::string& name);
Result<ResizeMode::Nearest> resize_nearest(const std::string& name);

struct ResizeTable {
  struct Tap {
    int64_t index;
    double weight;
  };
  std::vector<Tap> taps;
  std::vector<size_t> first;  // Where the taps of each output begin; one more at the end.
  std::vector<bool> outside;  // Output takes the extrapolation value instead.

  // True when output i is input i.
  bool identity(const ResizeAxis& axis) const;
};

// Requires in > 0 and, for antialias, a scale that is finite and positive.
ResizeTable resize_table(const ResizeAxis& axis, const ResizeMode& mode);

}  // namespace hone
