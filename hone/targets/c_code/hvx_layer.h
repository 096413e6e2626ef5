// Layers as the kernels of HVX take them: sources/hvx_product.c, sources/hvx_depthwise.c, sources/hvx_table.c.
#pragma once

#include <optional>

#include "hone/targets/c_code/weighted_layer.h"

namespace hone::c_code {

// Groups of channels are multiplied as if there were none, with weights of 0 between them; of more
// their weights would take more memory than is worth it.
inline constexpr int64_t kMostHvxGroups = 16;

// Nothing where those kernels do not do: more groups, windows of more rows than they keep, sums that
// are not scaled down to half or less.
std::optional<Step> hvx_step(const Weighted& layer);

// Where vlut32 finds value e of 256: sources/hvx_table.c.
inline size_t hvx_table_place(size_t e) {
  return e / 128 * 128 + 2 * (e % 64) + e / 64 % 2;
}

}  // namespace hone::c_code
