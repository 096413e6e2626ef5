// A processor as the few numbers that an analytic model of a network's latency needs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hone/device/family_matrix.h"

namespace hone {

// Where weights are kept, besides the memory of activations.
struct Flash {
  int64_t bytes = 0;
};

// A network that was measured on the device.
struct MeasuredPoint {
  std::string model = {};
  std::string precision = {};
  double ms = 0;
  std::vector<double> work = {};  // By family, as FamilyWork.
};

// What a device has in common with others: its classes say what families of kernels cost on it.
struct ClassMembership {
  int threads = 1;             // That share the work; the peaks are theirs together.
  std::string group = {};      // Of devices in the class that are more alike; may be empty.
  std::string runs = {};       // The precision that its users run floats in.
  bool integers_only = false;  // Floats it does not multiply: a float model is quantized for it.
  std::map<std::string, std::string, std::less<>> classes = {};  // By precision.
  std::vector<MeasuredPoint> points = {};
};

// What is drawn, by all that `of` names.
struct DevicePower {
  std::string of = "device";  // The whole of it, with memory and board, or the "chip" alone.
  double idle_watts = 0;
  double typical_watts = 0;  // While it runs a network.
  // The truth is expected between typical_watts / factor and typical_watts * factor.
  double factor = 1.5;
  std::optional<double> max_watts = {};  // That a data sheet allows for.
  // A device that networks keep busy in part draws more for larger ones. Where that was measured:
  // watts of a run of so many MACs, and the MACs of those that typical_watts are of.
  std::optional<double> busy_watts = {}, busy_macs = {}, typical_macs = {};
};

// What inputs and outputs of a run cross between the host and a processor with memory of its own.
struct HostLink {
  std::string name = {};        // "PCIe 4.0 x16".
  double bytes_per_second = 0;  // One way, of the data sheet.
  double efficiency = 1;        // The part of it that copies from pinned memory reach.
  double start_us = 0;          // Of one copy.
};

// The core of a microcontroller, and what stands between it and its flash.
struct McuSpec {
  std::string core = {};  // "cortex-m7", as compilers name it.
  double clock_mhz = 0;
  // A line of flash that no cache holds: its bytes, and the cycles that the core waits for it.
  int64_t line_bytes = 16;
  double line_cycles = 0;
  // Caches before the flash, 0: none. `ways` of a set each.
  int64_t code_cache_bytes = 0;
  int64_t data_cache_bytes = 0;
  int64_t ways = 1;
};

// A DSP whose code can be counted.
struct DspSpec {
  std::string core = {};  // "v67", as compilers name it.
  double clock_mhz = 0;
  bool hvx = true;  // Vectors of 128 bytes; false: scalar code alone.
  // Memory beside the vectors and the cache before main memory; 0: none that is known.
  int64_t vtcm_kib = 0;
  int64_t l2_kib = 0;
  // What main memory brings in a cycle, and cycles until the first of it is there; 0: not waited for.
  double ddr_bytes_per_cycle = 0;
  double ddr_latency_cycles = 0;
  // Hardware threads that a program may use, how many of them can have vectors at a time (0: all), and cycles until all of
  // them have begun with their parts of a layer and are waited for.
  int64_t threads = 1;
  int64_t hvx_contexts = 0;
  double wake_cycles = 0;
};

struct AnalyticSpec {
  std::optional<ClassMembership> membership = {};  // None: efficiencies and overheads tell.

  // Operations per second by precision ("fp32", "fp16", "int8"), a multiply-add being two: the
  // most the processor can do.
  std::map<std::string, double, std::less<>> peak_ops = {};
  // Part of the peak that layers reach, by kind: "dense", "depthwise", "product" (fully connected),
  // "other".
  std::map<std::string, double, std::less<>> efficiency = {};
  double bytes_per_second = 0;  // Of main memory.
  double memory_efficiency = 1;
  int64_t memory_bytes = 0;
  std::optional<Flash> flash = {};  // Without one, weights are kept in memory, too.
  std::optional<McuSpec> mcu = {};  // Of a microcontroller whose code can be counted.
  std::optional<DspSpec> dsp = {};
  std::optional<HostLink> link = {};  // None: the host's memory is its own.
  double step_us = 0;                 // To start one step: a kernel launch, a call.
  double run_us = 0;                  // To start a run.
  DevicePower power = {};
  double factor = 1.5;  // The truth is expected between figure / factor and figure * factor.
};

}  // namespace hone
