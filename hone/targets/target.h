// A place to run a network. Four questions: what is it, does it support a node, compile a graph,
// run the program.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/hint.h"
#include "hone/base/metric.h"
#include "hone/base/result.h"
#include "hone/device/device_file.h"
#include "hone/graph/graph.h"
#include "hone/ops/context.h"
#include "hone/ops/node_cost.h"
#include "hone/sim/engine_counters.h"
#include "hone/targets/step_kind.h"

namespace hone {

// Whether a target runs a node itself, or the sentence that says why not.
struct Support {
  bool full = true;
  std::string reason;
  static Support yes() { return {}; }
  static Support no(std::string why) { return {false, std::move(why)}; }
};

// TF32 leaves tensors in fp32: products are of numbers with 10 bits of fraction.
enum class Precision { F32, F16, BF16, TF32 };
std::string_view name_of(Precision precision);  // "fp32", "fp16", "bf16", "tf32"

// How a program that is written as firmware keeps to its device's memories.
struct FirmwareOptions {
  uint64_t max_ram = 0;    // Bytes of arena, inputs and outputs; 0: what the device has.
  uint64_t max_flash = 0;  // Bytes of constants and code; 0: what the device has.
  // Inputs lie in the arena, and a run writes over them.
  bool inputs_in_arena = false;
  bool vtcm = true;  // Of a DSP: its memory beside the vectors may be used.

  bool asked() const { return max_ram > 0 || max_flash > 0 || inputs_in_arena; }
};

struct CompileOptions {
  EvalOptions eval = {};
  // Integers made of a file's Q/DQ pairs are rounded once, as near as they come to what ONNX says;
  // false: as `eval` has it, like those of TFLite.
  bool qdq_rounds_once = true;
  int threads = 0;  // 0: as many as the hardware has.
  // Of float arithmetic, where the target has the choice.
  Precision precision = Precision::F32;
  // It was named. Otherwise a predicted device may take what its users run.
  bool named_precision = false;
  std::set<std::string, std::less<>> disabled_passes = {};
  // Session::peek is going to ask for values: each is whole when its step has ended.
  bool keep_values = false;
  // No two steps take turns at parts of a value: what is kept of it would depend on this machine's
  // caches. For programs that stand for another device.
  bool whole_values = false;
  // Time to choose among kernels by measuring them, where the target does; 0: the likeliest.
  double tune_seconds = 0;
  // The model's time is wanted and nothing else: no simulation, and the program need not run.
  bool estimate_only = false;
  // Of targets that make firmware; others do not look at it.
  FirmwareOptions firmware = {};
};

// Steps that ran on an accelerator between two copies, in seconds by its own clock.
struct DeviceStage {
  std::span<const double> steps;
  double copying_in = 0;   // Before the first step,
  double starting = 0;     // between copies and kernels,
  double copying_out = 0;  // and behind the last.
};

// Told of every step while a session runs: clocks, counters and traces stand on it.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  // The inputs are bound and the first step is about to start.
  virtual void begin() = 0;
  // Step `step` has ended, and the next one starts when this returns. `busy` has for each thread
  // the seconds it has worked since the session was opened; empty where the target cannot tell.
  virtual void step_done(size_t step, std::span<const double> busy) = 0;
  // The same of several steps, from `first` on, that have run together: `seconds` has for each its
  // share of the time since the last call.
  virtual void steps_done(size_t first, std::span<const double> seconds,
                          std::span<const double> busy);
  // The same of steps, from `first` on, that ran on an accelerator, which has told the host just
  // now that it is done: what it does not account for of the time since the last call is the host's.
  virtual void device_done(size_t first, const DeviceStage& stage);
};

// Memory to run a program in, one run at a time. Sessions of one program may run at the same time.
class Session {
 public:
  virtual ~Session() = default;
  // One item per graph input, in order. `outputs` gets one per graph output; tensors of the right
  // type that are there already are written in place.
  virtual Status run(const std::vector<Item>& inputs, std::vector<Item>& outputs) = 0;
  // The same under the eyes of an observer, which hears of the steps of Program::steps in order.
  virtual Status run_observed(const std::vector<Item>& inputs, std::vector<Item>& outputs,
                              StepObserver& observer) = 0;
  // Of the last run that nobody observed: what an accelerator took by itself, without the copies to
  // it and back. Nothing where there is none.
  virtual std::optional<double> device_seconds() const { return std::nullopt; }
  // After a run: what an accelerator's own counters say of every step of Program::steps, none of
  // those that are its host's. Steps are run again for it, and some time. Resource with the reason
  // where there are no counters, or they may not be read.
  virtual Result<std::vector<std::vector<Metric>>> count();
  // Inside StepObserver::step_done: what the step has left in an output of its node. A view, good
  // until step_done returns. Nothing where the target cannot show it, or the program was not
  // compiled to keep values.
  virtual std::optional<Tensor> peek(const Value* value) const;
};

// What one step of a program holds in memory, for people.
struct MemoryUse {
  std::string value;
  std::string type;
  size_t offset;
  size_t bytes;
  size_t first_step;
  size_t last_step;
  bool in_rows = false;  // Only the rows that are at hand are there.
};
// Of the arena, each while its step runs.
struct ScratchUse {
  size_t steps = 0;       // That have any.
  size_t most_bytes = 0;  // Of one of them.
};
struct MemorySummary {
  std::vector<MemoryUse> buffers;
  ScratchUse scratch = {};
  std::map<std::string, size_t> shared;  // By value: where in the buffer of another it lies.
  size_t arena_bytes = 0;
  size_t largest_live_bytes = 0;  // What any placement needs at least.
  size_t weight_bytes = 0;        // Packed for the kernels, or kept as they are.
  size_t body_bytes = 0;          // Besides the arena, while the body of an if or a loop runs.
};

// One step in running order: what it stands for, what runs it, what it costs.
struct StepInfo {
  const Node* node = nullptr;  // In Program::graph.
  StepKind kind = {};
  NodeCost cost = {};
  size_t packed_bytes = 0;            // Of weights that the step keeps in a form of its own.
  size_t scratch_bytes = 0;           // Of the arena, while the step runs.
  std::vector<Metric> counters = {};  // What is known of its kernels before they run.
};

// The accelerator that a program runs on, where it is one that kernels are launched on.
struct Accelerator {
  std::string name;        // "NVIDIA H200".
  std::string capability;  // "9.0".
  int64_t processors = 0;
  double clock_mhz = 0;    // Of its processors, at most; 0: not told, as in what follows.
  double memory_rate = 0;  // Bytes in a second, at most.
  uint64_t l2_bytes = 0;   // Of the cache that all processors share.
  std::string bus = {};    // What the system's libraries know it by.
  int64_t launches = 0;    // Of kernels, in a run.
  int64_t copies_in = 0;
  int64_t copies_out = 0;
  uint64_t bytes_in = 0;   // Copied to it in a run,
  uint64_t bytes_out = 0;  // and back.
};

// Where a node was put, and what that costs.
struct Placement {
  const Node* node = nullptr;   // In Program::graph.
  bool on_target = true;        // Otherwise on its host.
  std::string reason = {};      // Why not on the target: one sentence.
  std::string change = {};      // The nearest change that would put it there; may be empty.
  Hint hint = {};               // How to make it, where that is not by hand.
  uint64_t boundary_bytes = 0;  // Moved between target and host on its account.
  double boundary_us = 0;       // What that and the handing over take.
};

// The time of a run as a model of the machine has it, rather than a clock.
struct ModelledStep {
  double start_us = 0;
  double us = 0;
  std::vector<Metric> counters = {};
  std::optional<sim::EngineCounters> engines = {};  // Where the model has such.
};
struct ModelledEvent {
  size_t step = 0;
  int track = 0;
  double start_us = 0;
  double us = 0;
  std::string what = {};  // "weights", "tile 3".
};
struct ModelledRun {
  std::string device = {};
  Metric latency = {};                   // ms, with its interval where the model has one.
  std::vector<ModelledStep> steps = {};  // As Program::steps.
  std::vector<std::string> tracks = {};  // "matrix engine", "DMA 0", ...
  std::vector<ModelledEvent> events = {};
  std::vector<Metric> counters = {};  // Of the whole run.
  std::optional<sim::EngineCounters> engines = {};
  std::vector<Metric> energy = {};
  std::vector<Metric> memory = {};
  bool weights_in_flash = false;  // Else in the memory that a run works in.
  std::vector<std::string> notes = {};
  // "does not fit: ...": what is asked, what the device has, and the layer that breaks it; empty
  // when it fits. What does not fit has neither latency nor energy.
  std::string misfit = {};
  Hint hint = {};  // What the latency waits for, where it is not known.
  // Where the network is beyond what the device's model was fitted to: a sentence each.
  std::vector<std::string> uncovered = {};
  // Where its time is guessed at rather than learned from such devices: likewise.
  std::vector<std::string> guessed = {};
};

// What became of running a program's code in an emulator of its device.
class Program;
struct Emulation {
  std::unique_ptr<Program> program = {};  // Its `modelled` has what was counted. Null: not run,
  std::string why_not = {};               // and why, where that can be changed.
};

// A graph made ready for one target.
class Program {
 public:
  virtual ~Program() = default;
  virtual std::unique_ptr<Session> open() const = 0;
  // One run in a session of its own. May be called from several threads at once.
  Result<std::vector<Item>> run(const std::vector<Item>& inputs) const;
  // As it is run: rewritten for the target, with the origins of every node.
  virtual const Graph& graph() const = 0;
  virtual std::vector<StepInfo> steps() const = 0;
  // Of every node, where a target has a host beside it; otherwise empty.
  virtual std::vector<Placement> placements() const { return {}; }
  // What a run takes on a machine that is not here; nothing where runs are measured.
  virtual std::optional<ModelledRun> modelled() const { return std::nullopt; }
  // Runs the code itself on `inputs` where the device has an emulator. An error where a byte differs
  // from the reference's.
  virtual Result<Emulation> emulate(const std::vector<Item>& inputs) const;
  // Writes the program for those who take it from here: a listing, and what the device loads.
  virtual Status write(const std::filesystem::path& folder) const;
  // The names of what `write` makes, "program.json" among them; empty where it makes nothing.
  virtual std::vector<std::string> files() const { return {}; }
  // What to know of how it was compiled, a sentence each.
  virtual std::vector<std::string> notes() const { return {}; }
  // Nothing where the target plans no memory.
  virtual std::optional<MemorySummary> memory() const { return std::nullopt; }
  // What it is launched on, where that is a GPU.
  virtual std::optional<Accelerator> accelerator() const { return std::nullopt; }
};

class Target {
 public:
  virtual ~Target() = default;
  virtual Support supports(const Node& node) const = 0;
  // Unsupported when a node can run nowhere.
  virtual Result<std::unique_ptr<Program>> compile(Graph graph,
                                                   const CompileOptions& options) const = 0;
};

// What a target computes on integers where a model has Q/DQ pairs: what to choose when one is
// quantized for it.
struct IntegerSupport {
  std::vector<std::string_view> ops;  // Run on integers; the rest is float between conversions.
  bool tables = false;                // So do functions of one value, whatever they are made of.
  std::vector<DType> activations;     // Best first.
  bool per_channel = true;            // Weights may have a scale per channel.
  bool zero_points = true;            // Activations may have a zero point.
  bool power_of_two = false;          // Scales must be 2^n.
};

// Told at the beginning and after every measurement how many are done and how many there are.
using RoofProgress = std::function<void(size_t done, size_t total)>;

struct TargetDef {
  std::string_view name;
  std::string_view summary;
  Mode mode;  // Where its numbers come from.
  std::function<std::unique_ptr<Target>()> open;
  const IntegerSupport* integers = nullptr;  // Null: floats are all it has.
  bool makes_firmware = false;               // Programs keep to CompileOptions::firmware.
  // Whether this machine can run it, or why not. Null: every machine can.
  Support (*here)() = nullptr;
  // What it runs on, or Resource: why it cannot. For those who only ask, as it opens nothing: a
  // driver that crashes or hangs is told of. Null as `here` is.
  Result<std::string> (*probe)() = nullptr;
  // What computes, where that is not this CPU: its roofs and threads are not the target's then.
  std::string (*device)() = nullptr;
  // Of such a device: its driver, without which what was measured does not hold, and a measurement
  // of its roofs. Null where they cannot be measured.
  std::string (*driver)() = nullptr;
  Result<DeviceFile> (*measure_roofs)(const RoofProgress& progress) = nullptr;
};

// In the order of targets.inc.
const std::vector<const TargetDef*>& all_targets();

// A target, a device of the catalog, or a device's TOML file. BadInput when there is no such; the
// message lists those there are.
Result<const TargetDef*> find_target(std::string_view name);

// Resource when this machine cannot run the target of that name, before any work is done for it.
Status check_is_here(std::string_view name);

}  // namespace hone
