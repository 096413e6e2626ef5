// Where the time of a model on a target goes: the one structure that every profiler fills in,
// Hone's own and the importers of other tools' evidence, and that diagnose, diff and report read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/hint.h"
#include "hone/base/metric.h"
#include "hone/profile/gpu_timeline.h"
#include "hone/sim/engine_counters.h"
#include "hone/targets/step_kind.h"

namespace hone {

// One step of a program, in running order. What was not to be had is empty.
struct StepProfile {
  std::string name;
  std::string op;
  StepKind kind;       // What ran it.
  std::string layout;  // "nhwc", "nchw"; empty where the operator has none.
  std::string output;  // Type of the first output: "f32[1,112,112,32]".

  // Mean over the half of the watched runs that took about as long as the median run, each time cut
  // to p10 .. p90: interruptions hardly reach it, and it adds up to the time of a run, as medians
  // would not.
  double us = 0;
  double us_p10 = 0;
  double us_p90 = 0;
  std::vector<double> us_blocks;  // Medians of consecutive blocks of runs: how steady it is.
  double share = 0;               // Of the sum of all steps.
  std::optional<double> busy;     // Part of the threads' time that was spent at work, 0 to 1.

  int64_t macs = 0;
  int64_t flops = 0;
  uint64_t weight_bytes = 0;
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;
  uint64_t bytes() const { return weight_bytes + read_bytes + written_bytes; }

  // Against the machine's measured roofs.
  std::optional<double> roof_us;  // The least time for its operations and bytes.
  std::string bound;              // What sets roof_us: "compute", "L2", "DRAM", ...

  std::optional<uint64_t> arena_offset;  // Of its first output.
  uint64_t live_before = 0;              // Bytes of the arena in use before, during and after it.
  uint64_t live_during = 0;
  uint64_t live_after = 0;

  std::vector<size_t> sources;  // Layers of the model it stands for: into Profile::sources.
  std::vector<Metric> counters;
  std::optional<sim::EngineCounters> engines;  // As Profile::engines.
};

// A layer of the user's file.
struct SourceLayer {
  std::string name;
  std::string op;  // As the file calls it.
};

// Of ONNX files some constants are nodes; they are no layers.
inline bool is_constant(const SourceLayer& source) {
  return source.op == "Constant";
}

// Layers of the file that were measured as one because rewrites merged them. Every layer is in
// exactly one group, constants are in none; a group without steps took no time, and `ended` says why.
struct LayerGroup {
  std::string name;  // The first layer's, and how many more: "conv1 + 2".
  std::vector<size_t> sources;
  std::vector<size_t> steps;
  double us = 0;
  double share = 0;
  std::string ended;               // "folded by fold_batch_norm", "a view"; empty for what runs.
  std::vector<size_t> reads = {};  // Groups whose values it reads: into Profile::layers.
};

// One interval on one thread, or on one engine of an accelerator, for timelines.
struct TimelineEvent {
  size_t step = 0;
  int thread = 0;       // Or into Profile::tracks.
  double start_us = 0;  // Since the run began.
  double us = 0;
  std::string what = {};  // "weights 12 KiB", where a step has several on a track.
};

// A node that an accelerator leaves to its host, and what that costs.
struct HostPlacement {
  std::string name;
  std::string op;
  std::string reason;
  std::string change;  // The nearest one that would bring it back; may be empty.
  uint64_t boundary_bytes = 0;
  double boundary_us = 0;
  Hint hint = {};  // How to make the change, where that is not by hand; in no result file.
};

// A buffer of the arena and the steps during which it is in use.
struct ProfileBuffer {
  std::string value;
  std::string type;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  size_t first_step = 0;
  size_t last_step = 0;
};

struct Profile {
  std::string kind = "profile";
  std::string model;
  std::string target;
  std::string device;         // "Neoverse-V1, 2 threads".
  std::string tool = "hone";  // Who measured: "hone", "onnxruntime", "trtexec", ...
  Mode mode = Mode::Measured;
  int threads = 1;                 // 0: not told.
  std::string precision = "fp32";  // Empty: not told.
  uint64_t seed = 0;
  std::string started;  // ISO 8601, UTC.

  std::vector<Metric> phases;   // read, compile, first_run; ms.
  std::vector<Metric> latency;  // min, median, p90, p99, max in ms; cov, a ratio; imported: mean.
  std::vector<double> samples_ms;    // Whole steady runs, in the order they were made.
  std::string copies;                // Whether inputs and outputs are copied inside a run.
  std::optional<double> watched_ms;  // Median of the runs that were watched step by step.
  std::vector<Metric> overhead;      // What watching costs, and what of a run lies between steps.
  std::vector<Metric> system;        // Context switches, page faults, migrations, waits, clock.
  std::vector<Metric> counters;      // Of a whole run; unavailable ones with their reason.
  std::optional<sim::EngineCounters> engines;  // Of a whole run, where an accelerator's are known.
  std::optional<GpuTimeline> gpu;              // Of a run on a GPU, as its own profilers tell.
  std::vector<Metric> energy;
  std::vector<std::string> unstable;  // Why the measurement may not be trusted; empty: steady.
  std::vector<std::string> notes;

  // How each step's `us` came out of the runs, and of how many; 0: as many as samples_ms.
  std::string step_times = "mean of the middle half of the runs";
  int64_t step_runs = 0;
  std::vector<StepProfile> steps;
  std::vector<SourceLayer> sources;
  std::vector<LayerGroup> layers;
  std::vector<TimelineEvent> timeline;  // Of the watched run nearest to the median.
  std::vector<std::string> tracks;      // Of the timeline; empty: threads.
  std::vector<HostPlacement> host;      // What the target leaves to its host.
  std::vector<ProfileBuffer> buffers;
  uint64_t arena_bytes = 0;
  uint64_t weight_bytes = 0;
  std::vector<Metric> memory;  // Of an accelerator's memories.
  // Roofs that percentages refer to; empty when the machine was not calibrated.
  std::vector<Metric> roofs;
};

// The metric of that name, or null.
const Metric* find_metric(const std::vector<Metric>& metrics, std::string_view name);

// What a whole run typically takes: the median, or the mean where another tool told no median. Null
// when the profile has neither.
const Metric* typical_latency(const Profile& profile);

// Its value in ms; 0 when there is none.
double median_ms(const Profile& profile);

// Operations per byte moved.
double intensity(const StepProfile& step);

}  // namespace hone
