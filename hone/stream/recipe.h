// An always-on program in the integers that it computes with: the same ones on the host and in firmware.
//
// Sound comes in pushes of 10 ms. Of each the energy is summed, an offset apart; the gate opens where that
// reaches `gate_energy` and closes `hold` pushes after the last such push. While it is closed nothing else is
// done. When it opens, frames begin `ring` pushes ago, and the first stands for all before it. While it is open a
// frame becomes a row of coefficients as soon as its samples are there. After every `hop` rows the network runs on the
// last `rows` of them, made as loud as their largest sample has it; its outputs become probabilities, which are
// averaged over `smoothing` runs (those before the gate opened count as 0). The keyword with the highest average
// among those that reach their thresholds is a detection, unless there was another in the last
// `refractory` samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/audio/fixed_mfcc.h"
#include "hone/stream/stream_config.h"
#include "hone/stream/stream_network.h"

namespace hone {

struct StreamKeyword {
  std::string name;
  size_t output = 0;       // Of the network.
  uint32_t threshold = 0;  // Q15.
};

struct StreamRecipe {
  FixedMfcc mfcc;
  FeatureBytes bytes;
  size_t rows = 0;     // That the network looks at.
  size_t outputs = 0;  // Of the network.
  std::vector<StreamKeyword> keywords;
  // By byte + 128: a probability in Q15. Where the network leaves its softmax to the caller: by how far a byte
  // lies below the largest, exp of it in Q15, to be divided by the sum of all.
  std::vector<uint16_t> probabilities;
  bool softmax = false;
  size_t push = 0;  // Samples.
  uint64_t gate_energy = 0;
  uint32_t hold = 0;  // Pushes.
  uint32_t ring = 0;  // Pushes that are kept.
  uint32_t hop = 0;
  uint32_t smoothing = 0;
  uint64_t refractory = 0;

  // Pushes that the network looks at.
  size_t seen_pushes() const;
};

// BadInput when the configuration does not fit the network.
Result<StreamRecipe> make_recipe(const StreamConfig& config, const StreamInterface& network);

}  // namespace hone
