// How fast networks run, whole, on one target: what `hone bench models` prints.
#pragma once

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

// Runs for `seconds` and at least ten times, after three runs that do not count. Where a model
// gives the time, nothing is run. Of `shapes` those count whose input the model has.
Result<BenchResult> bench_model(const BenchCase& which, const std::string& target,
                                CompileOptions options, double seconds,
                                const std::map<std::string, Shape>& shapes = {});

}  // namespace hone
