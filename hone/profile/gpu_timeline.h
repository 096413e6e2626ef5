// What one run was to a GPU: what it did, and for whom it waited when it did nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

// Something that costs a run of a GPU time, and how often.
struct GpuCost {
  std::string what;  // "aten::item", "HtoD, pageable".
  int64_t count = 0;
  double us = 0;
  uint64_t bytes = 0;  // Of copies.
};

// Of the run nearest to the median. Busy and the kinds of idle time add up to the run; all are 0
// where kernels were measured one by one and nothing is known of the time between them.
struct GpuTimeline {
  std::string gpu = {};         // "NVIDIA H200"; empty: not told.
  std::string capability = {};  // "9.0".
  int64_t processors = 0;       // Streaming multiprocessors; 0: not told, as in what follows.
  double clock_mhz = 0;         // Of the multiprocessors, at most,
  double running_mhz = 0;       // and as they ran.
  // What kept the clock down: "power limit", "heat", "a clock that was set". Empty: nothing.
  std::vector<std::string> slowed_by = {};
  double memory_rate = 0;  // Bytes in a second that its memory moves, at most.
  uint64_t l2_bytes = 0;   // Of the cache that all multiprocessors share.

  double run_us = 0;
  double busy_us = 0;       // Something ran: kernels, copies, or both.
  double launching_us = 0;  // Idle while the host prepared and made the next launch.
  double waiting_us = 0;    // Idle around calls of the host that wait for the GPU.
  // Idle while the host fed a copy to the device; in Hone's own runs, moved inputs and outputs
  // between the caller's memory and that which the GPU copies from and to.
  double copying_us = 0;
  double loading_us = 0;  // Idle while the host made data that it then copied to the device.
  // In operators that load data by their name, whether or not the GPU is busy.
  double preparing_us = 0;
  double host_us = 0;        // Idle while the host did something else.
  double allocating_us = 0;  // Idle while the host took memory of the GPU or gave it back.
  double graph_us = 0;       // Idle between two kernels of one CUDA graph.
  double unknown_us = 0;     // Idle, and the trace has no calls that would tell why.

  int64_t kernels = 0;
  int64_t recorded = 0;  // Operators and calls of the host that the profiler wrote down.
  // Of kernels that are launched one by one, many in a row without a call that waits between them:
  // those a CUDA graph could hold.
  int64_t capturable = 0;
  double capturable_us = 0;         // Of launching_us, what lies in front of them.
  int64_t capturable_recorded = 0;  // Of `recorded`, what began in that time.

  std::vector<GpuCost> waits = {};  // By operator: calls that wait, whether or not the GPU is busy.
  // By call, whether or not the GPU is busy: those that take memory and give it back.
  std::vector<GpuCost> allocations = {};
  std::vector<GpuCost> copies = {};  // By kind; time on the GPU.
  // By operator: in loading_us and host_us. Of Hone's own runs, what copying_us is made of.
  std::vector<GpuCost> host_work = {};
};

}  // namespace hone
