// How fast networks run, whole, on one target: what `hone bench models` prints.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hone/base/metric.h"
#include "hone/base/result.h"
#include "hone/targets/target.h"

namespace hone {

// A network and the arithmetic it runs in: "fp32", "fp16", "bf16", or "int8", which quantizes it
// first with ranges from one random input.
struct BenchCase {
  std::string model;
  std::string precision = "fp32";
};

// The networks that Hone's speed is judged by.
const std::vector<BenchCase>& standard_bench_cases();

struct BenchResult {
  // Median of whole runs, with the shortest and longest; or what a model says, with its interval
  // where it has one.
  Metric latency;
  std::string precision;                   // That products are computed in; see precision_label.
  double gmacs = 0;                        // Multiply-accumulates of one run, in 10^9.
  uint64_t arena_bytes = 0;                // 0 where the target plans no memory.
  std::vector<std::string> reference_ops;  // That no kernel of the target took.

  // 10^9 operations per second in the shortest run, two for each multiply-accumulate.
  double rate() const {
    const auto ms = latency.mode == Mode::Measured ? latency.low : latency.value;
    return ms ? 2 * gmacs / *ms * 1e3 : 0;
  }
};

// Runs for `seconds` and at least ten times, after three runs that do not count. Where a model
// gives the time, nothing is run. Of `shapes` those count whose input the model has.
Result<BenchResult> bench_model(const BenchCase& which, const std::string& target,
                                CompileOptions options, double seconds,
                                const std::map<std::string, Shape>& shapes = {});

}  // namespace hone
