#pragma once

#include <algorithm>
#include <cstddef>

#include "hone/device/machine.h"

namespace hone::cpu {

// Rows of a block at least, in tiles. Every block reads all weights, from afar when they are many:
// wide vectors are through with four tiles before the weights of the next panel arrive.
#if defined(__x86_64__)
inline constexpr size_t kFewestTiles = 8;
#else
inline constexpr size_t kFewestTiles = 4;
#endif

// A matrix product cut into tasks: blocks of rows that fit into the second-level cache, and, when
// those are too few to keep all threads busy, ranges of panels too.
class Tasks {
 public:
  struct Sizes {
    size_t row_bytes;  // Of one row's operands.
    size_t rows_step;  // Rows of a tile.
    size_t threads;
  };
  struct Range {
    size_t row_begin, row_end;
    size_t panel_begin, panel_end;
  };

  Tasks() = default;
  Tasks(size_t rows, size_t panels, Sizes sizes) : rows_(rows), panels_(panels) {
    // A quarter of the cache: the rest is for weights and results.
    const size_t block_bytes = second_level_cache_bytes() / 4;
    const size_t tiles = (rows + sizes.rows_step - 1) / sizes.rows_step;
    size_t tiles_per_block =
        std::clamp<size_t>(block_bytes / (sizes.row_bytes * sizes.rows_step + 1), kFewestTiles, 64);
    // Enough tasks that the last one to finish does not keep the others waiting long.
    const size_t wanted = sizes.threads == 1 ? 1 : 4 * sizes.threads;
    if (tiles / tiles_per_block < wanted) {
      tiles_per_block = std::min(tiles_per_block, std::max<size_t>(4, tiles / wanted));
    }
    // Blocks of a like size: one of a few rows would read all weights for them.
    const size_t blocks = std::max<size_t>(1, (tiles + tiles_per_block - 1) / tiles_per_block);
    rows_per_block = std::max<size_t>(1, (tiles + blocks - 1) / blocks) * sizes.rows_step;
    row_blocks_ = (rows + rows_per_block - 1) / rows_per_block;
    const size_t parts = row_blocks_ == 0 ? 1 : (wanted + row_blocks_ - 1) / row_blocks_;
    panels_per_part_ = std::max<size_t>(1, panels / std::max<size_t>(1, parts));
    panel_parts_ = (panels + panels_per_part_ - 1) / panels_per_part_;
  }

  size_t tasks() const { return row_blocks_ * panel_parts_; }
  Range range(size_t task) const {
    const size_t row = task / panel_parts_ * rows_per_block;
    const size_t panel = task % panel_parts_ * panels_per_part_;
    return {row, std::min(rows_, row + rows_per_block), panel,
            std::min(panels_, panel + panels_per_part_)};
  }

  size_t rows_per_block = 0;

 private:
  size_t rows_ = 0;
  size_t panels_ = 0;
  size_t row_blocks_ = 0;
  size_t panels_per_part_ = 1;
  size_t panel_parts_ = 1;
};

// Calls run(begin, end) for blocks of a like size, whole tiles but for the last one.
template <class Run>
void for_blocks(size_t begin, size_t end, size_t most, size_t tile, const Run& run) {
  const size_t blocks = (end - begin + most - 1) / most;
  const size_t each = blocks == 0 ? 0 : (end - begin + blocks - 1) / blocks;
  const size_t step = (each + tile - 1) / tile * tile;
  for (; begin < end; begin += step) run(begin, std::min(end, begin + step));
}

}  // namespace hone::cpu
