// Words for what changed from one profile to the next.
#pragma once

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
  return std::string(name_of(layer.change));
}

}  // namespace hone
