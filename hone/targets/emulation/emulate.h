// What targets share whose code is C that is built and run in an emulator: tools, self-tests, counts.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"

namespace hone::emulation {

inline constexpr std::string_view kHostCompiler = "cc";

struct Tool {
  std::string_view name;
  std::string_view packages;  // That have it.
};
// "clang-19 is not here (apt-get install clang-19)"; empty where all are.
std::string missing_of(std::span<const Tool> tools);

// What a tool prints. Resource where it fails.
Result<std::string> output_of(const std::vector<std::string>& arguments);

// Functions are numbered as layers; then comes what calls them, and what calls that. Nothing for those that count
// for whoever calls them. Of a layer the compiler may have put parts elsewhere: "layer_3.part.0".
std::optional<size_t> layer_number(std::string_view function, std::string_view prefix,
                                   size_t layers);

struct CountedRun {
  const std::filesystem::path& folder;  // Has "functions", as the plugin reads them.
  std::string_view machine;             // As messages name it.
  std::vector<std::string> command;     // The emulator and its options,
  std::vector<std::string> program;     // and what it runs.
  std::string options;                  // Of the plugin besides.
};
// Runs a self-test and gives what the plugin wrote. Resource where it cannot be run, or a byte is not the
// reference's.
Result<std::string> counted_run(const CountedRun& run);

}  // namespace hone::emulation
