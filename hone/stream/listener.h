// The always-on program on the host: what firmware does with the same recipe, sample for sample.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "hone/stream/recipe.h"

namespace hone {

struct Detection {
  uint64_t sample = 0;  // How many were heard when the network was sure.
  size_t keyword = 0;   // Of the recipe's.
  uint32_t score = 0;   // Its average probability, Q15.

  bool operator==(const Detection&) const = default;
};

// What was done of what was heard.
struct ListenerWork {
  uint64_t pushes = 0;
  uint64_t open_pushes = 0;  // While the gate was open.
  uint64_t frames = 0;       // That became rows.
  uint64_t runs = 0;         // Of the network.
};

// The nearest that a keyword came.
struct HighestScore {
  uint64_t sample = 0;  // How many were heard then.
  uint32_t score = 0;   // Q15, while nothing is detected, too.
};

// A network from bytes to bytes.
using ByteNetwork = std::function<Result<std::vector<int8_t>>(std::span<const int8_t>)>;

class Listener {
 public:
  // The recipe outlives the listener.
  Listener(const StreamRecipe& recipe, ByteNetwork network);

  // recipe.push samples. An error is the network's.
  Result<std::optional<Detection>> push(std::span<const int16_t> samples);
  const ListenerWork& work() const { return work_; }
  // Of every keyword of the recipe.
  const std::vector<HighestScore>& highest() const { return highest_; }

 private:
  bool opens(std::span<const int16_t> samples);
  void begin();
  void add_row();
  Result<std::optional<Detection>> run_network();
  void smooth(std::span<const int8_t> outputs);
  std::optional<Detection> detected() const;

  const StreamRecipe& recipe_;
  ByteNetwork network_;
  ListenerWork work_;
  uint64_t heard_ = 0;       // Samples.
  uint64_t next_frame_ = 0;  // Where it begins.
  uint64_t deaf_until_ = 0;  // The end of the refractory time.
  uint32_t open_ = 0;        // Pushes until the gate closes.
  bool fresh_ = true;        // There is no row since the gate opened.
  uint32_t rows_since_run_ = 0;
  size_t oldest_row_ = 0;
  size_t oldest_run_ = 0;
  std::vector<int16_t> samples_;  // [ring * push], by the number of the sample.
  std::vector<int16_t> peaks_;    // [seen_pushes], by the number of the push.
  std::vector<int16_t> rows_;     // [rows, coefficients]
  std::vector<uint16_t> past_;    // [smoothing, keywords], Q15.
  std::vector<uint32_t> sums_;    // [keywords], of past_.
  std::vector<HighestScore> highest_;
};

// The whole of a sound and a second of silence, in which what was said last is heard.
struct Heard {
  std::vector<Detection> detections;
  ListenerWork work;
  std::vector<HighestScore> highest;  // Of every keyword.
};
Result<Heard> listen(const StreamRecipe& recipe, const ByteNetwork& network,
                     std::span<const int16_t> samples);

}  // namespace hone
