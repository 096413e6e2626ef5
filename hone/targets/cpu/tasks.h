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

// How much later the last task may be done than all others, of one task: CPUs are not equally fast
// where others work beside us. Found on four CPUs of each kind.
#if defined(__x86_64__)
inline constexpr double kUnevenEnd = 0.2;
#else
inline constexpr double kUnevenEnd = 0.5;
#endif

// A matrix product cut into tasks: blocks of rows that fit into the second-level cache, and, when
// those are too few to keep all threads busy, ranges of panels too.
class Tasks {
 public:
  // What else takes time, in times of multiplying a tile of rows with a panel.
  struct Costs {
    double pack = 0;   // To pack a tile, which every task does for itself.
    double fetch = 3;  // To fetch a panel, which goes on while others are multiplied.
    // To read a tile that other threads have written. Where they do not share rows, those are mostly
    // the ones that the same thread had in the layer before.
    double share = 0.25;
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
    // Rows that threads' blocks are multiples of: those of a tile, or of a part of one that takes so
    // much less time.
    size_t grain = rows_step;
    Costs costs = {};
    Block block = {};
  };
  struct Range {
    size_t row_begin, row_end;
    size_t panel_begin, panel_end;
  };

  Tasks() = default;
  Tasks(size_t rows, size_t panels, Sizes sizes) : rows_(rows), panels_(panels) {
    const size_t tiles = parts_of(rows, sizes.rows_step);
    const size_t most_tiles = std::clamp<size_t>(
        sizes.block.bytes / (sizes.row_bytes * sizes.rows_step + 1), sizes.block.fewest_tiles, 64);
    const size_t fewest_blocks = parts_of(tiles, most_tiles);
    if (sizes.threads == 1) {
      cut({fewest_blocks, 1}, sizes.rows_step);
    } else {
      cut(soonest_done(fewest_blocks, sizes), sizes.grain);
    }
  }

  size_t tasks() const { return row_blocks_ * panel_parts_; }
  // All blocks of rows meet a range of panels before the next one: neighbours share its weights.
  Range range(size_t task) const {
    const size_t row = task % row_blocks_ * rows_per_block;
    const size_t panel = task / row_blocks_ * panels_per_part_;
    return {row, std::min(rows_, row + rows_per_block), panel,
            std::min(panels_, panel + panels_per_part_)};
  }

  size_t rows_per_block = 0;

 private:
  struct Cut {
    size_t row_blocks;
    size_t panel_parts;
  };

  static size_t parts_of(size_t x, size_t part) { return (x + part - 1) / part; }

  // Blocks of a like size: one of a few rows would read all weights for them.
  void cut(const Cut& cut, size_t grain) {
    const size_t grains = parts_of(rows_, grain);
    rows_per_block =
        std::max<size_t>(1, parts_of(grains, std::max<size_t>(1, cut.row_blocks))) * grain;
    row_blocks_ = parts_of(rows_, rows_per_block);
    panels_per_part_ = std::max<size_t>(1, parts_of(panels_, cut.panel_parts));
    panel_parts_ = parts_of(panels_, panels_per_part_);
  }

  // Tries one to eight tasks a thread, as blocks of rows and ranges of panels of every ratio, and
  // takes what is done first. All times are of multiplying a tile of rows with a panel.
  Cut soonest_done(size_t fewest_blocks, const Sizes& sizes) const {
    double least = 0;
    Cut best = {1, 1};
    for (size_t parts = 1; parts <= std::min(panels_, 4 * sizes.threads); ++parts) {
      for (const size_t each : {1, 2, 4, 8}) {
        const Cut one = {std::max(fewest_blocks, parts_of(each * sizes.threads, parts)), parts};
        const double time = time_until_done(one, sizes);
        if (least > 0 && time >= least) continue;
        least = time;
        best = one;
      }
    }
    return best;
  }

  double time_until_done(const Cut& cut, const Sizes& sizes) const {
    const size_t grains = parts_of(rows_, sizes.grain);
    const size_t block_rows = parts_of(grains, cut.row_blocks) * sizes.grain;
    const double task = time_of_task(block_rows, parts_of(panels_, cut.panel_parts), sizes);
    const size_t tasks = cut.row_blocks * cut.panel_parts;
    auto rounds = static_cast<double>(parts_of(tasks, sizes.threads));
    // Blocks in parts of tiles often leave a small one to the last thread.
    if (sizes.grain < sizes.rows_step) {
      Tasks made = *this;
      made.cut(cut, sizes.grain);
      rounds = made.most_of_a_thread(sizes.threads);
    }
    return (rounds + kUnevenEnd) * task;
  }

  // Of the rows and panels of a whole task.
  double most_of_a_thread(size_t threads) const {
    const size_t whole = rows_per_block * panels_per_part_;
    size_t most = 0;
    for (size_t thread = 0; thread < threads; ++thread) {
      size_t share = 0;
      const size_t end = (thread + 1) * tasks() / threads;
      for (size_t task = thread * tasks() / threads; task < end; ++task) {
        const Range part = range(task);
        share += (part.row_end - part.row_begin) * (part.panel_end - part.panel_begin);
      }
      most = std::max(most, share);
    }
    return static_cast<double>(most) / static_cast<double>(std::max<size_t>(1, whole));
  }

  double time_of_task(size_t block_rows, size_t part_panels, const Sizes& sizes) const {
    // Of results that lie between those of other threads.
    constexpr double kShareOutputs = 0.2;
    const Costs& costs = sizes.costs;
    const double tiles = static_cast<double>(block_rows) / static_cast<double>(sizes.rows_step);
    const auto panels = static_cast<double>(part_panels);
    const double shared = part_panels < panels_ ? costs.share + kShareOutputs * panels : 0;
    return (costs.pack + shared) * tiles + panels * std::max(tiles, costs.fetch);
  }

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
