#include <algorithm>
#include <sstream>

#include "hone/base/parallel.h"
#include "hone/base/process.h"
#include "hone/base/str.h"
#include "hone/device/host_parts.h"

namespace hone {
namespace {

struct Program {
  const char* group;
  const char* name;
  const char* purpose;
  const char* package;
  const char* version_flag = "--version";
  // In the line that has the version, for programs that may say something else first.
  const char* version_word = "";
};

constexpr Program kPrograms[] = {
    {"compiler", "g++", "compiles emitted C and C++ for this machine", "g++"},
    {"compiler", "clang", "builds the fuzzers", "clang"},
    {"compiler", "arm-none-eabi-gcc", "compiles firmware for Cortex-M",
     "gcc-arm-none-eabi libnewlib-arm-none-eabi"},
    {"compiler", "clang-19", "compiles HVX code for Hexagon", "clang-19"},
    {"compiler", "ld.lld-19", "links Hexagon programs", "lld-19"},
    {"compiler", "llvm-objdump-19", "shows the packets of Hexagon programs", "llvm-19"},
    {"compiler", "arm-none-eabi-objdump", "shows the instructions of firmware",
     "binutils-arm-none-eabi"},
    {"emulator", "qemu-system-arm", "runs Cortex-M firmware", "qemu-system-arm"},
    {"emulator", "qemu-hexagon", "runs Hexagon programs", "qemu-user"},
    {"report", "chromium", "opens reports in the tests", "chromium", "--version", "Chromium "},
};

// A program that has not told its version by then is broken, or waits for something.
constexpr double kLimitSeconds = 10;

std::string line_with(const std::string& text, std::string_view word) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos && line.find(word) != line.npos) {
      return line.substr(line.find_first_not_of(" \t"));
    }
  }
  return "version unknown";
}

HostPart look_for(const Program& program) {
  HostPart part = {.group = program.group,
                   .name = program.name,
                   .purpose = program.purpose,
                   .detail = "not on PATH",
                   .package = program.package};
  const auto path = find_program(program.name);
  if (!path) return part;
  part.path = path->string();
  const auto output = run_program({part.path, program.version_flag}, kLimitSeconds);
  if (!output) {
    part.detail = output.error().message;
    return part;
  }
  part.found = output->status == 0;
  part.detail = part.found ? line_with(output->text, program.version_word)
                           : str("does not run: exit status ", output->status);
  return part;
}

}  // namespace

std::vector<HostPart> find_programs() {
  std::vector<HostPart> parts(std::size(kPrograms));
  parallel_for(parts.size(), 0, [&](size_t i) { parts[i] = look_for(kPrograms[i]); });
  return parts;
}

}  // namespace hone
