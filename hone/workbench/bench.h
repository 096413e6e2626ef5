// How fast networks run, whole, on one target: what `hone bench models` prints.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/profile/bench_result.h"
#include "hone/targets/target.h"

namespace hone {

// A network and the arithmetic it runs in: "fp32", "fp16", "bf16", or "int8", which quantizes it
// first with ranges from one random input.
struct BenchCase {
  std::string model;
  std::string precision = "fp32";

  bool operator==(const BenchCase&) const = default;
};

// The networks that Hone's speed is judged by.
const std::vector<BenchCase>& standard_bench_cases();

// How many steps of how many are done.
using BenchProgress = std::function<void(size_t done, size_t total)>;

// Each network runs for `seconds` and at least ten times, in ten turns that go round, so that what
// slows the machine for a while meets all of them; all are in memory meanwhile. Runs that begin a turn
// do not count. Where a model gives the time, nothing is run. Of `shapes` those count whose input a
// network has. Results are in the order of `cases`.
std::vector<Result<BenchResult>> bench_models(const std::vector<BenchCase>& cases,
                                              const std::string& target,
                                              const CompileOptions& options, double seconds,
                                              const std::map<std::string, Shape>& shapes = {},
                                              const BenchProgress& progress = {});

}  // namespace hone
