#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/device/machine.h"

namespace hone {

// One thing Hone can make use of: a program, a library, a device, a right to read a counter.
struct HostPart {
  std::string group = {};    // "compiler", "emulator", "gpu", "measurement", "report".
  std::string name = {};     // "qemu-system-arm".
  std::string purpose = {};  // What Hone needs it for: "runs Cortex-M firmware".
  bool found = false;
  std::string path = {};     // Of the program or library; "" for what is no file.
  std::string detail = {};   // If found its version or what it is, else why it is not usable.
  std::string package = {};  // Debian package that brings it; "" when none does.
};

// The part that tells of GPUs.
inline constexpr std::string_view kCudaDevice = "CUDA device";

// What one kind of work in one precision is done by.
struct HostKernel {
  std::string precision = {};  // "int8".
  std::string work = {};       // "matrix product".
  std::string kernel = {};     // "avx512_vnni"; "reference", which is slow.
};

// What this machine can do, and what it lacks.
struct HostReport {
  std::string system = {};  // "Debian GNU/Linux 12 (bookworm)".
  std::string kernel = {};  // "Linux 6.1.0-18-arm64".
  CpuInfo cpu = {};
  MemoryInfo memory = {};
  std::vector<HostPart> parts = {};
  std::vector<HostKernel> kernels = {};  // Not filled by inspect_host, which knows none.
};

// Asks every known program for its version and tries every library and counter: about a second.
HostReport inspect_host();

// "sudo apt-get install clang-19 qemu-user", which brings everything missing; "" when nothing is.
std::string install_command(const HostReport& report);

}  // namespace hone
