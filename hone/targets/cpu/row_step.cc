#include "hone/targets/cpu/row_step.h"

#include <algorithm>

namespace hone::cpu {

RowRange RowShape::under(const RowRange& out) const {
  const int64_t last = static_cast<int64_t>(out.end) - 1;
  const int64_t begin =
      std::clamp<int64_t>(height.source(static_cast<int64_t>(out.begin), 0), 0, height.in);
  const int64_t end =
      std::clamp<int64_t>(height.source(last, height.kernel - 1) + 1, begin, height.in);
  return {static_cast<size_t>(begin), static_cast<size_t>(end)};
}

}  // namespace hone::cpu
