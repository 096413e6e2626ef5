// Firmware as tests have it: written, built for this machine and for emulated boards, and run.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "hone/base/process.h"
#include "hone/targets/target.h"

namespace hone {

namespace fs = std::filesystem;

// A folder of its own for every test of every process.
inline fs::path fresh_folder() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = str(test->test_suite_name(), "_", test->name());
  std::ranges::replace(name, '/', '_');
  const fs::path folder = fs::path(testing::TempDir()) / str("firmware_", getpid()) / name;
  fs::remove_all(folder);
  return folder;
}

inline Status write_firmware(const Graph& graph, Rounding rounding, const fs::path& folder,
                             const FirmwareOptions& firmware = {},
                             const std::string& device = "cortex-m7", int threads = 1) {
  const CompileOptions options{
      .eval = {.rounding = rounding}, .threads = threads, .firmware = firmware};
  HONE_TRY(const auto program,
           (*find_target(device))->open()->compile(std::move(*graph.clone()), options));
  return program->write(folder);
}

// Builds and runs what the Makefile would; what it says where it does not end well.
inline std::string ran(const std::vector<std::string>& build, const std::vector<std::string>& run) {
  const auto built = run_program(build, 120);
  if (!built.ok()) return built.error().message;
  if (built->status != 0 || !built->text.empty()) return "building: " + built->text;
  const auto output = run_program(run, 120);
  if (!output.ok()) return output.error().message;
  return output->status == 0 ? "" : str("status ", output->status, ": ", output->text);
}

inline std::vector<std::string> sources_of(const fs::path& folder) {
  std::vector<std::string> sources;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const bool network = entry.path().filename().string().starts_with("hone_");
    if (network && entry.path().extension() == ".c") sources.push_back(entry.path().string());
  }
  sources.push_back((folder / "selftest.c").string());
  return sources;
}

inline std::string selftest_here(const fs::path& folder,
                                 const std::vector<std::string>& flags = {}) {
  const std::string program = (folder / "selftest").string();
  std::vector<std::string> build = {"cc",      "-std=gnu11", "-O0", "-Wall",
                                    "-Wextra", "-pthread",   "-o",  program};
  std::ranges::copy(flags, std::back_inserter(build));
  std::ranges::copy(sources_of(folder), std::back_inserter(build));
  // Who looks for leaks takes seconds, where there is no heap.
  return ran(build, {"env", "ASAN_OPTIONS=detect_leaks=0", program});
}

// The same, where what is undefined ends the program.
inline std::string strict_selftest(const fs::path& folder) {
  return selftest_here(folder, {"-fsanitize=undefined", "-fno-sanitize-recover=all"});
}

// Writes the network and runs the strict self-test; what went wrong.
inline std::string strictly_tested(const Graph& graph) {
  const fs::path folder = fresh_folder();
  const Status written = write_firmware(graph, Rounding::Double, folder);
  return written.ok() ? strict_selftest(folder) : written.error().message;
}

struct Board {
  std::string name;
  std::string core;
  std::string machine;
  std::string script;
  std::vector<std::string> flags;
  std::string device;  // Whose kernels are this core's.
};
inline const Board kBoards[] = {
    {"m7",
     "cortex-m7",
     "mps2-an500",
     "mps2_an500.ld",
     {"-mfpu=fpv5-d16", "-mfloat-abi=hard"},
     "cortex-m7"},
    {"m4", "cortex-m4", "mps2-an500", "mps2_an500.ld", {}, "cortex-m4"},
    {"m3", "cortex-m3", "mps2-an500", "mps2_an500.ld", {}, "cortex-m55"},
    {"m55", "cortex-m55", "mps3-an547", "mps3_an547.ld", {"-mfloat-abi=hard"}, "cortex-m55"},
};
// Loads have to be aligned. Its memory is as large as that of small products.
inline const Board kSmallest = {"m0", "cortex-m0", "microbit", "microbit.ld", {}, "cortex-m4"};

inline std::string selftest_on(const Board& board, const fs::path& folder) {
  const std::string program = (folder / str("firmware_", board.name, ".elf")).string();
  std::vector<std::string> build = {"arm-none-eabi-gcc",
                                    "-std=gnu11",
                                    "-O2",
                                    "-mthumb",
                                    "-ffunction-sections",
                                    "-fdata-sections",
                                    "-fno-tree-loop-distribute-patterns",
                                    "-nostartfiles",
                                    "--specs=nano.specs",
                                    "-mcpu=" + board.core,
                                    "-L",
                                    folder.string(),
                                    "-T",
                                    (folder / board.script).string(),
                                    (folder / "startup.c").string(),
                                    "-o",
                                    program};
  std::ranges::copy(board.flags, std::back_inserter(build));
  std::ranges::copy(sources_of(folder), std::back_inserter(build));
  return ran(build, {"qemu-system-arm", "-M", board.machine, "-nographic", "-monitor", "none",
                     "-serial", "none", "-semihosting", "-kernel", program});
}

inline bool has_emulator() {
  return find_program("arm-none-eabi-gcc") && find_program("qemu-system-arm");
}

#define SKIP_WITHOUT_COMPILER() \
  if (!find_program("cc")) GTEST_SKIP() << "no C compiler: cc is not here"

}  // namespace hone
