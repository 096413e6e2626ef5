// Runs a session many times and keeps what the clock said: of whole runs, and step by step.
#pragma once

#include <vector>

#include "hone/base/result.h"
#include "hone/targets/target.h"

namespace hone {

// When to stop: the first limit that is reached ends the measurement.
struct StopRule {
  double seconds = 10;     // Time for all runs together.
  size_t least_runs = 5;   // Of each kind, however long they take.
  size_t max_runs = 3000;  // Of each kind.
  // Stop after `min_runs` when the 95 % interval of the median is at most this part of it wide, on
  // either side, and half a second has passed; 0: do not look.
  double interval = 0.005;
  size_t min_runs = 30;
};

// A run that was watched step by step; seconds since its first step began.
struct WatchedRun {
  double whole = 0;                 // From call to return: binding and copying too.
  std::vector<double> begins = {};  // By step.
  std::vector<double> ends = {};
  std::vector<double> busy = {};  // By step and thread, step after step: seconds at work.
  double copying_in = 0;          // To and from an accelerator, by its own clock.
  double copying_out = 0;
  double starting = 0;  // Between copies and kernels.
  double on_host = 0;   // In steps that an accelerator leaves to its host.
  double binding = 0;   // Before the first step: inputs are brought to where it reads them,
  double giving = 0;    // and behind the last one outputs to where the caller has them.

  double seconds_of(size_t step) const { return ends[step] - begins[step]; }
};

struct Samples {
  double first_run = 0;                // Seconds, of the very first run.
  std::vector<double> plain;           // Seconds of steady runs that nobody watched, in order.
  std::vector<double> device;          // Seconds of an accelerator by itself, in each of them.
  std::vector<WatchedRun> watched;     // In order, alternating with the plain ones.
  std::vector<double> yardstick = {};  // Seconds, beside every plain run.
  size_t threads = 0;                  // Entries of `busy`; 0 where the target cannot tell.
};

// Plain and watched runs take turns, so that both see the same machine and their difference is what
// watching costs. The first run and `warm_ups` more do not count as steady; fewer
// are made where they alone would take longer than all that count.
Result<Samples> sample(Session& session, const std::vector<Item>& inputs, const StopRule& stop,
                       int warm_ups);

}  // namespace hone
