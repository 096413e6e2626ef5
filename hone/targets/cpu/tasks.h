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
  // What else takes time, in times of multiplying a tile of rows with a panel.
  struct Costs {
    double pack = 0;   // To pack a tile, which every task does for itself.
    double fetch = 3;  // To fetch a panel, which goes on while others are multiplied.
    double end = 0;    // To end a panel of a task: nothing is multiplied beside its last results.
    // To read a tile that other threads have written. Where they do not share rows, those are mostly
    // the ones that the same thread had in the layer before.
    double share = 0.25;
    double share_outputs = 0.2;  // To write a tile's results between those of other threads.
  };
  // What a block of rows is made for.
  struct Block {
    // Of its operands. A quarter of the cache: the rest is for weights and results.
    size_t bytes = second_level_cache_bytes() / 4;
    size_t fewest_tiles = kFewestTiles;
  };
  struct Sizes {
    size_t row_bytes;  // Of one row's operands.
    size_t rows_step;  // Rows of a tile.
    size_t threads;
    // Rows that take time together: those of a tile, or of a part of one that takes so much less.
    size_t grain = rows_step;
    size_t block_step = grain;  // Rows that threads' blocks are multiples of.
    Costs costs = {};
    Block block = {};
  };
  struct Range {
    size_t row_begin, row_end;
    size_t panel_begin, panel_end;
  };

  Tasks() = default;
  Tasks(size_t rows, size_t panels, Sizes sizes);

  size_t tasks() const { return row_blocks_ * panel_parts_; }
  // All blocks of rows meet a range of panels before the next one: neighbours share its weights.
  Range range(size_t task) const;

  size_t rows_per_block = 0;

 private:
  struct Cut {
    size_t row_blocks;
    size_t panel_parts;
  };

  void cut(const Cut& cut, size_t grain);
  Cut soonest_done(size_t fewest_blocks, const Sizes& sizes) const;
  double time_until_done(const Cut& cut, const Sizes& sizes) const;
  double most_of_a_thread(size_t threads) const;
  double time_of_task(size_t block_rows, size_t part_panels, const Sizes& sizes) const;

  size_t rows_ = 0;
  size_t panels_ = 0;
  size_t row_blocks_ = 0;
  size_t panels_per_part_ = 1;
  size_t panel_parts_ = 1;
};

// Calls run(begin, end) for blocks of a like size, `most` at most: whole tiles where those fit, but
// for the last one.
template <class Run>
void for_blocks(size_t begin, size_t end, size_t most, size_t tile, const Run& run) {
  const size_t blocks = (end - begin + most - 1) / most;
  const size_t each = blocks == 0 ? 0 : (end - begin + blocks - 1) / blocks;
  const size_t step = std::min(most, (each + tile - 1) / tile * tile);
  for (; begin < end; begin += step) run(begin, std::min(end, begin + step));
}

}  // namespace hone::cpu
