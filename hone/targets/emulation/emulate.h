// What targets share whose programs are C that is built and run in an emulator: tools, self-tests, counts.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/process.h"
#include "hone/targets/c_code/write_project.h"
#include "hone/targets/emulation/code_range.h"
#include "hone/targets/emulation/counts.h"

namespace hone::emulation {

inline constexpr std::string_view kHostCompiler = "cc";
// How their folders' names begin.
inline constexpr std::string_view kFolderName = "hone_firmware";

struct Tool {
  std::string_view name;
  std::string_view packages;  // That have it.
};
// "clang-19 is not here (apt-get install clang-19)"; empty where all are.
std::string missing_of(std::span<const Tool> tools);

// What a tool prints that builds the plan's project, or shows what was built. Resource where it fails, or takes
// so long that it will not end.
Result<std::string> output_of(const std::vector<std::string>& arguments, const c_code::Plan& plan);
Result<std::string> output_of(const std::vector<std::string>& arguments, double seconds);

// Functions of a project are numbered as layers; then comes what calls them, and what calls that. Nothing for those
// that count for whoever calls them. Of a layer the compiler may have put parts elsewhere: "layer_3.part.0".
std::optional<size_t> number_of(std::string_view function, std::string_view prefix, size_t layers);

// Behind them come the parts of layers that are cut: the number of a layer's first.
size_t first_part_number(const c_code::Plan& plan, size_t layer);

// A program under the eyes of the plugin.
struct WatchedProgram {
  const std::filesystem::path& folder;  // For what is written on the way.
  std::span<const CodeRange> functions;
  // The number that a function counts for; nothing for those that count for whoever calls them.
  std::function<std::optional<size_t>(std::string_view)> number_of;
  size_t numbers = 0;
  std::vector<std::string> command;  // The emulator and its options,
  std::vector<std::string> program;  // and what it runs.
  std::string options;               // Of the plugin besides: "flash=0:0:128".
  // By number: so many numbers from it on, for each of which the function counts in turn, as it is entered. None: one.
  std::vector<size_t> turns = {};
  double build_seconds = 60;  // That compiling the plugin may take,
  double run_seconds = 60;    // and the program.
};
struct WatchedRun {
  ProcessOutput output;
  Execution execution;
};
// Resource where it cannot be run.
Result<WatchedRun> watched_run(const WatchedProgram& program);

struct EmulatedTest {
  const std::filesystem::path& folder;
  const c_code::Plan& plan;
  std::string_view prefix;  // Of the project's names.
  std::span<const CodeRange> functions;
  std::string_view machine;          // As messages name it.
  std::vector<std::string> command;  // The emulator and its options,
  std::vector<std::string> program;  // and what it runs.
  std::string options;               // Of the plugin besides: "flash=0:0:128".
};
// Runs a project's self-test and counts. Resource where it cannot be run, or a byte is not the reference's.
Result<Execution> counted_run(const EmulatedTest& test);

// Builds the project for this machine instead and runs its self-test: whether that could be done.
Result<bool> test_on_host(const c_code::Plan& plan, const c_code::ProjectNames& names,
                          const std::vector<c_code::TestVector>& tests);

}  // namespace hone::emulation
