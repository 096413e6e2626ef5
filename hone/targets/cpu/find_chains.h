// Which steps of a plan run together: as chains, or one behind another.
#pragma once

#include <cstddef>
#include <vector>

namespace hone::cpu {

struct Plan;
struct Stage;

struct ChainLimits {
  size_t smallest_link;  // Smaller values are handed on whole.
  size_t most_rows;      // Bytes of a worker's rows.
  // Bytes of weights that a run may read for each byte that is handed on in rows.
  double most_weights;
  double most_overlap;  // Of work that is done twice where several threads share an image.
  bool followers;       // Whether sums run behind the products that they are of.
};

// Values that the second-level cache does not hold beside all else, in rows that it does.
ChainLimits usual_chain_limits();

// All steps in order. The plan's values have their homes and lives, none takes another's place yet.
std::vector<Stage> find_stages(const Plan& plan, const ChainLimits& limits);

}  // namespace hone::cpu
