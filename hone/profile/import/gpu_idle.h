// For whom the GPU waited in a run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hone/profile/gpu_timeline.h"
#include "hone/profile/import/gpu_trace.h"

namespace hone {

enum class CallKind { Other, Memory, Launch, Graph, CopyIn, CopyOut, Wait };

// A call in the order of its thread, with what is known of it.
struct KnownCall {
  GpuCall call;
  CallKind kind = CallKind::Other;
  size_t outer = ~size_t{0};  // Operators that made it, into OrderedTrace::ops: the outermost,
  size_t inner = ~size_t{0};  // and the innermost.
};

struct KnownOp {
  HostOp op;
  bool outermost = false;
};

// A trace in order of time, and what belongs to what.
struct OrderedTrace {
  std::vector<GpuWork> works;
  std::vector<KnownCall> calls;
  std::vector<KnownOp> ops;
  std::map<int64_t, std::vector<size_t>> thread_calls;  // Into calls, by thread.
  std::map<int64_t, std::vector<size_t>> thread_ops;
  std::vector<size_t> caller;  // By work: into calls; kNoCall: not told.
  static constexpr size_t kNoCall = ~size_t{0};
};

OrderedTrace in_order(GpuTrace trace);

struct GpuRun : TraceSpan {
  std::vector<size_t> works;  // Into OrderedTrace::works.
  std::vector<size_t> calls;
};

// A stretch in which the GPU did nothing, and what its host did then.
struct GpuIdle : TraceSpan {
  const char* cause = "";  // "launching".
};

struct GpuRunTimes {
  GpuTimeline sums;
  std::vector<GpuIdle> idle;  // In order of time.
};

GpuRunTimes times_of(const OrderedTrace& trace, const GpuRun& run);

}  // namespace hone
