// What the operating system did to this process while it was measured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "hone/base/metric.h"

namespace hone {

// A snapshot of the counters the kernel keeps; nothing where they cannot be read.
struct SystemSnapshot {
  std::optional<double> voluntary_switches;    // Waited for something.
  std::optional<double> involuntary_switches;  // Was put aside for other work.
  std::optional<double> minor_faults;
  std::optional<double> major_faults;
  std::optional<double> migrations;
  std::optional<double> run_queue_wait_seconds;  // Of all threads: ready to run, no core free.
  std::optional<double> interrupts;              // On all cores.
  std::optional<double> clock_mhz;               // Of the first core.
};

// `root` is where /proc and /sys are; tests give a folder of their own.
SystemSnapshot system_snapshot(const std::filesystem::path& root = "/");

// What went on between two snapshots, `seconds` apart. What could not be read is there as
// unavailable, with the reason.
std::vector<Metric> system_metrics(const SystemSnapshot& before, const SystemSnapshot& after,
                                   double seconds);

}  // namespace hone
