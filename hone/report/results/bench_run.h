// What `hone bench` found out: networks one after the other on one target.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/profile/bench_result.h"

namespace hone {

struct BenchedNetwork {
  std::string model = {};
  std::optional<BenchResult> result = {};
  std::optional<Error> error = {};  // Why there is no result.
};

struct BenchRun {
  std::string target = {};
  Mode mode = Mode::Measured;
  int threads = 0;
  std::vector<BenchedNetwork> networks = {};
};

// The network and why it could not be timed, in one line.
std::string failure_of(const BenchedNetwork& network);

// What stands under "networks" of a result file.
nlohmann::ordered_json networks_to_json(const BenchRun& run);

}  // namespace hone
