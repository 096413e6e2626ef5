#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "hone/base/shared_library.h"
#include "hone/base/str.h"
#include "hone/device/host_parts.h"

namespace hone {
namespace {

// The first line, or "" when it cannot be read.
std::string read_line(const char* path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// Why hardware counters cannot be had, from the error of perf_event_open.
std::string why_no_counters(int error) {
  if (error == EACCES || error == EPERM) {
    return str("not permitted: perf_event_paranoid is ",
               read_line("/proc/sys/kernel/perf_event_paranoid"),
               "; `sudo sysctl kernel.perf_event_paranoid=1` allows it");
  }
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV) {
    return "this (often virtual) machine shows no hardware counters";
  }
  return std::strerror(error);
}

// Opens a cycle counter on this process: the only sure way to know.
HostPart hardware_counters() {
  HostPart part = {.group = "measurement",
                   .name = "hardware counters",
                   .purpose = "cycles, instructions and cache misses per layer"};
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = PERF_TYPE_HARDWARE;
  event.config = PERF_COUNT_HW_CPU_CYCLES;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  const long counter = syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
  part.found = counter >= 0;
  part.detail = part.found ? "perf_event" : why_no_counters(errno);
  if (part.found) close(static_cast<int>(counter));
  return part;
}

HostPart energy_counter() {
  constexpr const char* kPath = "/sys/class/powercap/intel-rapl:0/energy_uj";
  HostPart part = {.group = "measurement",
                   .name = "energy counter",
                   .purpose = "energy of the CPU per inference"};
  part.found = !read_line(kPath).empty();
  if (part.found) {
    part.path = kPath;
    part.detail = "RAPL";
  } else if (access(kPath, F_OK) == 0) {
    part.path = kPath;
    part.detail = str("not readable; `sudo chmod a+r ", kPath, "` allows it");
  } else {
    part.detail = "this machine has no RAPL";
  }
  return part;
}

HostPart cpu_clock() {
  constexpr const char* kPath = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq";
  HostPart part = {.group = "measurement",
                   .name = "CPU clock",
                   .purpose = "tells a clock that changed from a slow layer"};
  const std::string khz = read_line(kPath);
  part.found = !khz.empty();
  if (part.found) {
    const std::string governor = read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    part.path = kPath;
    part.detail = str(khz, " kHz, governor ", governor.empty() ? "unknown" : governor);
  } else {
    part.detail = "the kernel does not show it";
  }
  return part;
}

HostPart sqlite_library() {
  const SharedLibrary library({"libsqlite3.so.0", "libsqlite3.so"});
  return {.group = "measurement",
          .name = "SQLite",
          .purpose = "imports databases of Nsight Systems",
          .found = static_cast<bool>(library),
          .path = library ? library.path() : "",
          .detail = library ? "" : "no libsqlite3.so.0",
          .package = "libsqlite3-0"};
}

}  // namespace

std::vector<HostPart> find_measurements() {
  return {hardware_counters(), energy_counter(), cpu_clock(), sqlite_library()};
}

}  // namespace hone
