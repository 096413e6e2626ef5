// The matrix engine's own time for a product, were every operand there.
#pragma once

#include "hone/device/npu_spec.h"
#include "hone/sim/command.h"

namespace hone::sim {

// How a product lies in the array: `channels` outputs are computed side by side in `passes` passes
// over the pixels, `lanes` pixels a cycle; each pass needs `pass_bytes` of weights in the array.
struct Mapping {
  int64_t channels = 1;
  int64_t passes = 1;
  int64_t block_channels =
      1;  // Channels that share one reading of the input, and the accumulators.
  double pass_bytes = 0;
};

Mapping map_product(const MatrixEngine& matrix, const Product& product);

// The pixels worked on before the next weights come. Sums wait in the accumulators from pass to
// pass, which bounds their number; weights that stay while all pixels stream through in a single
// pass leave no sums to keep.
int64_t block_pixels(const MatrixEngine& matrix, const Mapping& map, int64_t pixels);

// Cycles of the array by what they go to; array_time.cc derives them.
struct ArrayTime {
  double compute = 0;  // With fill_cycles, and with places that are not filled.
  double weights = 0;  // Lost to their loads,
  double output = 0;   // and to sums that could not leave.
  double total() const { return compute + weights + output; }
};
ArrayTime array_time(const MatrixEngine& matrix, const Product& product);

}  // namespace hone::sim
