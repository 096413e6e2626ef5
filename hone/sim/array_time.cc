#include "hone/sim/array_time.h"

#include <algorithm>

#include "hone/sim/whole.h"

namespace hone::sim {
namespace {

// A dense product: each cycle multiplies `rows` of the taps * depth products of an output.
//   any taps together:       ceil(taps * depth / rows)
//   taps one after another:  depth is rounded up to depth_step, taps * that / rows
//   depth one after another: taps are rounded up to tap_step, that * ceil(depth / rows)
// and the engine takes the cheaper of the last two.
int64_t dense_passes(const MatrixEngine& matrix, int64_t taps, int64_t depth) {
  const int64_t rows = matrix.rows;
  if (matrix.depth_step == 0 && matrix.tap_step == 0) return ceil_div(taps * depth, rows);
  const int64_t depth_step = matrix.depth_step > 0 ? matrix.depth_step : rows;
  const int64_t tap_step = std::max(1, matrix.tap_step);
  return std::min(ceil_div(taps * round_up(depth, depth_step), rows),
                  round_up(taps, tap_step) * ceil_div(depth, rows));
}

// What one block of b pixels and c channels asks of the array, its weights and its outputs:
//   compute = passes * ceil(b / lanes)
//   weights = passes * pass_bytes / weight_bytes_per_cycle, loaded behind the pass before
//   output  = b * c / outputs_per_cycle, behind the block after
struct BlockTime {
  double compute = 0;
  double weights = 0;
  double output = 0;
  double longest() const { return std::max({compute, weights, output}); }
};

BlockTime block_time(const MatrixEngine& matrix, const Mapping& map, int64_t pixels,
                     int64_t channels) {
  return {.compute = real(map.passes * ceil_div(pixels, matrix.lanes)),
          .weights = real(map.passes) * map.pass_bytes / matrix.weight_bytes_per_cycle,
          .output = real(pixels * channels) / matrix.outputs_per_cycle};
}

void add(int64_t count, const BlockTime& block, ArrayTime& to) {
  to.compute += real(count) * block.compute;
  const double lost = real(count) * (block.longest() - block.compute);
  (block.weights >= block.output ? to.weights : to.output) += lost;
}

// What is left of the last block's sums once the array stands still.
double last_drain(const MatrixEngine& matrix, const BlockTime& block, int64_t pixels,
                  int64_t channels) {
  if (matrix.dataflow == Dataflow::OutputStationary) return block.output;
  const double group =
      real(std::min<int64_t>(pixels, matrix.lanes) * channels) / matrix.outputs_per_cycle;
  return std::max(group, block.output - real(ceil_div(pixels, matrix.lanes)));
}

}  // namespace

Mapping map_product(const MatrixEngine& matrix, const Product& product) {
  const int64_t rows = matrix.rows;
  const int64_t columns = matrix.columns;
  const int64_t taps = product.window.taps();
  if (!product.depthwise) {
    const int64_t needed = round_up(product.output.channels, columns);
    return {.channels = columns,
            .passes = dense_passes(matrix, taps, product.depth()),
            .block_channels = std::clamp<int64_t>(matrix.block_channels, columns, needed),
            .pass_bytes = real(rows * columns)};
  }
  if (matrix.depthwise == DepthwiseOn::Columns) {
    // A column has one tap of its channel at a time, so one byte of weights.
    return {.channels = columns,
            .passes = round_up(taps, std::max(1, matrix.tap_step)),
            .block_channels = columns,
            .pass_bytes = real(columns)};
  }
  // Blocks of taps x 1 along the diagonal: as many channels as rows have room for their taps. A
  // kernel of more taps than rows takes several passes. The zeros beside the blocks are loaded too.
  return {.channels = std::clamp<int64_t>(rows / taps, 1, columns),
          .passes = ceil_div(taps, rows),
          .block_channels = columns,
          .pass_bytes = real(rows * columns)};
}

int64_t block_pixels(const MatrixEngine& matrix, const Mapping& map, int64_t pixels) {
  const int64_t all = round_up(pixels, matrix.lanes);
  if (matrix.dataflow == Dataflow::WeightStationary && map.passes == 1) return all;
  const int64_t room = matrix.accumulators / map.block_channels / matrix.lanes * matrix.lanes;
  return std::clamp<int64_t>(room, matrix.lanes, all);
}

// The array's own time, operands permitting. Blocks follow one another, each as long as the slowest
// of its three parts: loads and drains overlap with the computing of a neighbour, which is of the
// same size but at the borders. What has no neighbour stands at the two ends:
//   before: the weights of the first pass; fill_cycles, when weights stay once, otherwise for each
//           block, whose sums start anew.
//   the last block loads one pass less, since there is no next one
//   after:  the sums of the last block. Where weights stay, sums leave as the last pass makes them,
//           so that what is left is one group of `lanes` pixels, or what the pass was too short
//           for.
ArrayTime array_time(const MatrixEngine& matrix, const Product& product) {
  const Mapping map = map_product(matrix, product);
  const int64_t pixels = product.output.height * product.output.width;
  const int64_t channels = product.output.channels;
  const int64_t block = block_pixels(matrix, map, pixels);
  const int64_t rows = ceil_div(pixels, block);
  const int64_t columns = ceil_div(channels, map.channels);
  const int64_t last_pixels = pixels - (rows - 1) * block;
  const int64_t last_channels = channels - (columns - 1) * map.channels;
  const auto block_of = [&](int64_t b, int64_t c) { return block_time(matrix, map, b, c); };
  ArrayTime time;
  add((rows - 1) * (columns - 1), block_of(block, map.channels), time);
  add(rows - 1, block_of(block, last_channels), time);
  add(columns - 1, block_of(last_pixels, map.channels), time);
  BlockTime last = block_of(last_pixels, last_channels);
  time.output += last_drain(matrix, last, last_pixels, last_channels);
  const double load = map.pass_bytes / matrix.weight_bytes_per_cycle;
  time.weights += load;
  last.weights += real(ceil_div(last_pixels, matrix.lanes)) - load;
  last.output = 0;
  add(1, last, time);
  const bool once = matrix.dataflow == Dataflow::WeightStationary;
  time.compute += real(matrix.fill_cycles) * (once ? 1 : real(rows * columns));
  return time;
}

}  // namespace hone::sim
