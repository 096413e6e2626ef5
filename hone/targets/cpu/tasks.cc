#include "hone/targets/cpu/tasks.h"

namespace hone::cpu {
namespace {

// How much later the last task may be done than all others, of one task: CPUs are not equally fast
// where others work beside us. Found on four CPUs of each kind.
#if defined(__x86_64__)
constexpr double kUnevenEnd = 0.2;
#else
constexpr double kUnevenEnd = 0.5;
#endif

size_t pieces_of(size_t x, size_t part) {
  return (x + part - 1) / part;
}

}  // namespace

Tasks::Tasks(size_t rows, size_t panels, Sizes sizes) : rows_(rows), panels_(panels) {
  const size_t tiles = pieces_of(rows, sizes.rows_step);
  const size_t most_tiles = std::clamp<size_t>(
      sizes.block.bytes / (sizes.row_bytes * sizes.rows_step + 1), sizes.block.fewest_tiles, 64);
  const size_t fewest_blocks = pieces_of(tiles, most_tiles);
  if (sizes.threads == 1) {
    cut({fewest_blocks, 1}, sizes.rows_step);
  } else {
    cut(soonest_done(fewest_blocks, sizes), sizes.block_step);
  }
}

Tasks::Range Tasks::range(size_t task) const {
  const size_t row = task % row_blocks_ * rows_per_block;
  const size_t panel = task / row_blocks_ * panels_per_part_;
  return {row, std::min(rows_, row + rows_per_block), panel,
          std::min(panels_, panel + panels_per_part_)};
}

// Blocks of a like size: one of a few rows would read all weights for them.
void Tasks::cut(const Cut& cut, size_t grain) {
  const size_t grains = pieces_of(rows_, grain);
  rows_per_block =
      std::max<size_t>(1, pieces_of(grains, std::max<size_t>(1, cut.row_blocks))) * grain;
  row_blocks_ = pieces_of(rows_, rows_per_block);
  panels_per_part_ = std::max<size_t>(1, pieces_of(panels_, cut.panel_parts));
  panel_parts_ = pieces_of(panels_, panels_per_part_);
}

// Tries one to eight tasks a thread, as blocks of rows and ranges of panels of every ratio, and
// takes what is done first. All times are of multiplying a tile of rows with a panel.
Tasks::Cut Tasks::soonest_done(size_t fewest_blocks, const Sizes& sizes) const {
  double least = 0;
  Cut best = {1, 1};
  for (size_t parts = 1; parts <= std::min(panels_, 4 * sizes.threads); ++parts) {
    for (const size_t each : {1, 2, 4, 8}) {
      const Cut one = {std::max(fewest_blocks, pieces_of(each * sizes.threads, parts)), parts};
      const double time = time_until_done(one, sizes);
      if (least > 0 && time >= least) continue;
      least = time;
      best = one;
    }
  }
  return best;
}

double Tasks::time_until_done(const Cut& cut, const Sizes& sizes) const {
  const size_t grains = pieces_of(rows_, sizes.grain);
  const size_t block_rows = pieces_of(grains, cut.row_blocks) * sizes.grain;
  const double task = time_of_task(block_rows, pieces_of(panels_, cut.panel_parts), sizes);
  const size_t tasks = cut.row_blocks * cut.panel_parts;
  auto rounds = static_cast<double>(pieces_of(tasks, sizes.threads));
  // Blocks in parts of tiles often leave a small one to the last thread.
  if (sizes.grain < sizes.rows_step) {
    Tasks made = *this;
    made.cut(cut, sizes.grain);
    rounds = made.most_of_a_thread(sizes.threads);
  }
  return (rounds + kUnevenEnd) * task;
}

// Of the rows and panels of a whole task.
double Tasks::most_of_a_thread(size_t threads) const {
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

double Tasks::time_of_task(size_t block_rows, size_t part_panels, const Sizes& sizes) const {
  const Costs& costs = sizes.costs;
  const double tiles = static_cast<double>(block_rows) / static_cast<double>(sizes.rows_step);
  const auto panels = static_cast<double>(part_panels);
  const double shared = part_panels < panels_ ? costs.share + costs.share_outputs * panels : 0;
  return (costs.pack + shared) * tiles + panels * (std::max(tiles, costs.fetch) + costs.end);
}

}  // namespace hone::cpu
