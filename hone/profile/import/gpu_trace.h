// What profilers of GPUs write down, whichever they are: what the GPU did, the calls of the host
// that asked for it, the operators that made the calls, and where a run begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/profile/profile.h"

namespace hone {

// In microseconds since whatever the trace counts from.
struct TraceSpan {
  double start = 0;
  double us = 0;
  double end() const { return start + us; }
};

// A kernel, a copy or a fill.
struct GpuWork : TraceSpan {
  std::string name;       // As the tool has it.
  std::string copy = {};  // "HtoD, pageable"; empty: no copy between host and device.
  bool kernel = true;
  int64_t stream = 0;
  int64_t gpu = 0;
  uint64_t correlation = 0;  // Of the call that asked for it; 0: not told.
  uint64_t bytes = 0;
  std::vector<Metric> counters = {};
};

// A call of CUDA's interface.
struct GpuCall : TraceSpan {
  std::string name;
  int64_t thread = 0;
  uint64_t correlation = 0;
};

// An operator of the framework, with those that it calls inside it.
struct HostOp : TraceSpan {
  std::string name;
  int64_t thread = 0;
  int64_t macs = 0;          // As its shapes tell; 0: not told.
  std::string extents = {};  // Of its largest operand: "[64,1024]"; empty: not told.
};

// A stretch of the host's time that the user named.
struct TraceMark : TraceSpan {
  std::string name;
  int64_t thread = 0;
};

struct GpuTrace {
  std::vector<GpuWork> works;
  std::vector<GpuCall> calls;
  std::vector<HostOp> ops;
  std::vector<TraceMark> marks;
};

// Work of several GPUs at once is no run of one: leaves that of the busiest. Gives its number, and
// says in `note` that there were others, if there were.
int64_t keep_busiest_gpu(GpuTrace& trace, std::string& note);

// The profile of a trace, into one that says who measured on what. A run is the mark that the trace
// repeats, from the end of the one before to when both host and GPU are done with it; all of the
// trace where none is. BadInput when the GPU did nothing.
Result<Profile> profile_of_trace(GpuTrace trace, Profile profile);

}  // namespace hone
