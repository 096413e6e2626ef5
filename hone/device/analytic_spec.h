// A processor as the few numbers that an analytic model of a network's latency needs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace hone {

// Where weights are kept, besides the memory of activations.
struct Flash {
  int64_t bytes = 0;
};

struct AnalyticSpec {
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
  double step_us = 0;               // To start one step: a kernel launch, a call.
  double run_us = 0;                // To start a run.
  double idle_watts = 0;
  double busy_watts = 0;
  double factor = 1.5;  // The truth is expected between figure / factor and figure * factor.
};

}  // namespace hone
