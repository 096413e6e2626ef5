// Runs samples through a float network and keeps what its activations look like.
#pragma once

#include <unordered_map>
#include <vector>

#include "hone/quantize/calibrate/observation.h"
#include "hone/quantize/sample_source.h"

namespace hone {

using Observations = std::unordered_map<const Value*, Observation>;

struct ObserveOptions {
  int threads = 0;       // 0: as many as the hardware has, up to 8: each has a run of its own.
  bool progress = true;  // A bar on the terminal.
};

// The points are float values of the graph. The network runs on target cpu, a sample on each
// thread; a value is looked at when the step that makes it has ended, so memory is that of a run
// for each thread, whatever the number of samples. What is seen does not depend on the threads.
// BadInput without samples, or when a value is not finite.
Result<Observations> observe(const Graph& graph, const std::vector<const Value*>& points,
                             const SampleSource& samples, const ObserveOptions& options);

}  // namespace hone
