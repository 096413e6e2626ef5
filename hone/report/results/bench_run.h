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
  std::string whole = {};  // Where `model` is short for it; not in files.
  std::optional<BenchResult> result = {};
  std::optional<Error> error = {};  // Why there is no result.
};

struct BenchRun {
  std::string target = {};
  Mode mode = Mode::Measured;
  int threads = 0;
  std::string machine = {};  // "Neoverse-V1, 2 threads"; empty where no runs were timed.
  std::vector<BenchedNetwork> networks = {};
};

// The network and why it could not be timed, in one line.
std::string failure_of(const BenchedNetwork& network);

// Between which its typical time lies at 95 %; none where nothing tells.
struct CertainRange {
  double low_ms = 0;
  double high_ms = 0;
};
std::optional<CertainRange> certain_range(const BenchResult& result);
// Whether the ranges part; also where one has none.
bool surely_faster(const BenchResult& faster, const BenchResult& slower);

// What stands under "results" of a result file, and back. BadInput names the key.
nlohmann::ordered_json bench_to_json(const BenchRun& run);
// The JSON Schema of it.
nlohmann::ordered_json bench_schema();
Result<BenchRun> bench_from_json(const nlohmann::ordered_json& results);

}  // namespace hone
