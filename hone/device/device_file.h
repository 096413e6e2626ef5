// A machine as numbers, in a TOML file: what cost models and rooflines start from. Measured on this
// machine by `hone calibrate`, or written by hand for another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/metric.h"
#include "hone/base/result.h"

namespace hone {

// Of something per second.
struct Rate {
  double one = 0;  // On one core.
  double all = 0;  // On all threads at once, together.
};

// The most that one instruction does with nothing in its way.
struct ComputeRoof {
  std::string precision = {};    // Of the operands: "fp32", "fp16", "bf16", "int8".
  std::string instruction = {};  // "fmla".
  Rate ops = {};                 // A multiply-add is two.
  int64_t n = 1;                 // Samples behind each rate, of which it is the best.
  double below = 0;              // By what part of it the median sample lies below; 0: not known.
};

// The two things that a product does: it multiplies, and makes of every sum what the next layer
// reads. Shallow ones spend most of their time on the second.
struct ProductParts {
  double multiply_of_roof = 0;  // What multiplying alone reaches of the arithmetic's roof.
  double ns_per_output = 0;     // On one core.
};

// How near the kernels that networks run on come to the roofs.
struct KernelReach {
  // "product", "winograd", "depthwise", "other"; "streaming": one pass over activations that stay
  // in the second level of memory, measured in fp32 alone.
  std::string kind = {};
  std::string precision = {};
  double of_roof = 0;  // The least time over the time taken; kernels that save work can pass 1.
  std::optional<ProductParts> parts = {};  // Of products, where they could be told apart.
};

struct MemoryLevel {
  std::string name = {};  // "L1", "L2", "L3", "DRAM".
  uint64_t bytes = 0;     // Of one of its instances.
  // Of a cache that others fill as well, what was found to stay in it; 0: all of `bytes`.
  uint64_t stays_bytes = 0;
  int line_bytes = 0;  // 0: not known; so for `ways`.
  int ways = 0;
  int shared_by = 1;  // Threads that use one instance.
  Rate read = {};     // Bytes.
  Rate write = {};
  Rate copy = {};    // Bytes read and bytes written, together.
  int64_t n = 1;     // As in ComputeRoof.
  double below = 0;  // Of the rate where it is most.
};

// What it costs to give work to the whole team of threads and wait for it, in microseconds.
struct DispatchCost {
  double spinning_us = 0;  // Right after other work, as between the steps of a network.
  double sleeping_us = 0;  // After a pause.
};

// Copies between an accelerator and pinned memory of its host, in bytes per second.
struct LinkRates {
  double to_device = 0;
  double from_device = 0;
  int64_t n = 1;  // As in ComputeRoof.
  double below = 0;
};

// What a kernel that does nothing takes on an accelerator, in microseconds: medians.
struct LaunchCost {
  double waited_us = 0;      // From the call until its end is known.
  double queued_us = 0;      // One of many, launched one behind the other.
  double graph_node_us = 0;  // One of many in a graph that was recorded before.
  int64_t n = 1;
};

struct EnergyFigures {
  Mode mode = Mode::Predicted;
  double factor = 1;        // The truth is expected between figure / factor and figure * factor.
  std::string source = {};  // One sentence.
  std::map<std::string, double> pj_per_op = {};    // Picojoules, by precision.
  std::map<std::string, double> pj_per_byte = {};  // By memory level.
  double idle_watts = 0;
};

struct DeviceFile {
  std::string name = {};  // "Neoverse-V1".
  std::string kind = {};  // "cpu", "gpu", "npu", ...
  Mode mode = Mode::Measured;
  std::string date = {};          // Of the measurement: "2026-11-14".
  std::string tool_version = {};  // Of who wrote it.
  int threads = 1;                // The rates on all threads are for this many.
  std::string cpus = {};          // Those they ran on: "0-3,8"; "" when not known.
  std::string without = {};       // Features of the CPU that were taken away: "bf16 i8mm".
  int processors = 0;             // Of an accelerator, where rates are of all of them; 0: a CPU.
  std::string driver = {};        // Of an accelerator: "CUDA 13.0".
  std::vector<ComputeRoof> compute = {};
  std::vector<MemoryLevel> memory = {};  // Nearest first.
  std::vector<KernelReach> kernels = {};
  std::optional<DispatchCost> dispatch = {};
  std::optional<LinkRates> link = {};
  std::optional<LaunchCost> launch = {};
  std::optional<EnergyFigures> energy = {};

  // The peak of the fastest instruction for the precision, if there is one. Halves that no
  // instruction multiplies are multiplied as floats.
  std::optional<ComputeRoof> compute_roof(std::string_view precision) const;
  // What kernels of the kind reach, or those of plain products where it has none of its own.
  // Nothing, or null, when no kernel computes in the precision, or none was measured.
  std::optional<double> kernel_reach(std::string_view kernels_kind,
                                     std::string_view precision) const;
  const KernelReach* kernels_of(std::string_view kernels_kind, std::string_view precision) const;
  // The nearest level in which so many bytes stay; the farthest when they fit nowhere.
  std::optional<MemoryLevel> level_for(uint64_t bytes) const;
};

// `file` is what messages call the text. BadInput names the key and what it should hold; a file of
// a later schema is Unsupported. Keys that are not known are passed over.
Result<DeviceFile> parse_device_file(std::string_view text, const std::string& file);
Result<DeviceFile> read_device_file(const std::filesystem::path& path);

std::string device_file_text(const DeviceFile& device);
// Makes the folder, too.
Status write_device_file(const DeviceFile& device, const std::filesystem::path& path);

}  // namespace hone
