// Words for what changed from one profile to the next.
#pragma once

#include <cmath>
#include <string>

#include "hone/base/text.h"
#include "hone/profile/diff.h"

namespace hone {

// "+12.5", in percent; "-" where there is nothing to compare with.
inline std::string change_percent(double from, double to) {
  if (from <= 0) return "-";
  return (to >= from ? "+" : "") + fixed(100 * (to / from - 1), 1);
}

inline std::string change_word(const LayerChange& layer) {
  if (layer.only_in_a) return "gone";
  if (layer.only_in_b) return "new";
  // What a layer of no weight moved by is no change of the run, and yet not the same.
  constexpr double kMuch = 0.2;
  const bool moved = std::abs(layer.delta_us()) > kMuch * layer.us_a;
  if (layer.change == Change::Same && moved) return "too short";
  return std::string(name_of(layer.change));
}

}  // namespace hone
