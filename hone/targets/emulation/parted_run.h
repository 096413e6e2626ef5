// A program around a network, such as one that listens: what each of its parts takes on the device.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::emulation {

struct PartedProgram {
  std::filesystem::path folder;  // Its sources, with the network's project below it, in network/.
  std::vector<std::string> sources;  // In the folder, those of the network apart.
  std::vector<std::string> macros;   // "NAME=VALUE".
  // Which part a function is of; nothing for those that count for whoever calls them.
  std::function<std::optional<size_t>(std::string_view)> part_of;
  size_t parts = 0;
  double seconds = 60;  // That it may run.
};

struct PartCost {
  double counted = 0;  // By the emulator.
  double cycles = 0;   // Predicted.
};

struct PartedRun {
  int status = 0;                    // That it ended with,
  std::string text = {};             // and what it printed.
  std::vector<PartCost> parts = {};  // In their order.
  std::string unit = {};             // What is counted: "packets", "instructions".
  double clock_mhz = 0;
  double factor = 1;  // Cycles are expected within it.
};

}  // namespace hone::emulation
