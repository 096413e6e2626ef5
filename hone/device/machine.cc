#include "hone/device/machine.h"

#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "hone/base/cpu_share.h"
#include "hone/base/parallel.h"
#include "hone/base/str.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

// The first line, or "" when there is no such file.
std::string first_line(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::optional<uint64_t> to_number(std::string_view text, int base = 10) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return number;
}

int to_int(std::string_view text) {
  return static_cast<int>(std::min<uint64_t>(to_number(text).value_or(0), 1u << 30));
}

// "64K" and "32M" as sysfs writes cache sizes.
uint64_t to_bytes(const std::string& text) {
  const uint64_t number = to_number(text).value_or(0);
  if (text.ends_with('K')) return number << 10;
  if (text.ends_with('M')) return number << 20;
  return number;
}

// MIDR_EL1 implementer and part numbers, from Arm's and the vendors' technical reference manuals.
const std::map<std::pair<uint64_t, uint64_t>, std::string_view> kArmParts = {
    {{0x41, 0xd03}, "Cortex-A53"},    {{0x41, 0xd04}, "Cortex-A35"},
    {{0x41, 0xd05}, "Cortex-A55"},    {{0x41, 0xd07}, "Cortex-A57"},
    {{0x41, 0xd08}, "Cortex-A72"},    {{0x41, 0xd09}, "Cortex-A73"},
    {{0x41, 0xd0a}, "Cortex-A75"},    {{0x41, 0xd0b}, "Cortex-A76"},
    {{0x41, 0xd0c}, "Neoverse-N1"},   {{0x41, 0xd0d}, "Cortex-A77"},
    {{0x41, 0xd40}, "Neoverse-V1"},   {{0x41, 0xd41}, "Cortex-A78"},
    {{0x41, 0xd42}, "Cortex-A78AE"},  {{0x41, 0xd44}, "Cortex-X1"},
    {{0x41, 0xd46}, "Cortex-A510"},   {{0x41, 0xd47}, "Cortex-A710"},
    {{0x41, 0xd48}, "Cortex-X2"},     {{0x41, 0xd49}, "Neoverse-N2"},
    {{0x41, 0xd4d}, "Cortex-A715"},   {{0x41, 0xd4e}, "Cortex-X3"},
    {{0x41, 0xd4f}, "Neoverse-V2"},   {{0x41, 0xd80}, "Cortex-A520"},
    {{0x41, 0xd81}, "Cortex-A720"},   {{0x41, 0xd82}, "Cortex-X4"},
    {{0x4e, 0x003}, "NVIDIA Denver"}, {{0x4e, 0x004}, "NVIDIA Carmel"},
    {{0xc0, 0xac3}, "Ampere-1"},
};

std::string arm_name(const std::string& implementer, const std::string& part) {
  // Both are written as 0x41.
  const auto number = [](const std::string& text) {
    return text.starts_with("0x") ? to_number(std::string_view(text).substr(2), 16).value_or(0) : 0;
  };
  const auto found = kArmParts.find({number(implementer), number(part)});
  if (found != kArmParts.end()) return std::string(found->second);
  return str("Arm implementer ", implementer, " part ", part);
}

// The distinct CPU names in /proc/cpuinfo: more than one where big and little cores are mixed.
std::string cpu_name(const fs::path& root) {
  std::ifstream in(root / "proc/cpuinfo");
  std::vector<std::string> names;
  std::string implementer;
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    std::string name;
    if (line.starts_with("model name")) name = value;
    if (line.starts_with("CPU implementer")) implementer = value;
    if (line.starts_with("CPU part")) name = arm_name(implementer, value);
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names.empty() ? "unknown CPU" : join(names, " + ");
}

std::vector<fs::path> folders_named(const fs::path& parent, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix) && to_number(std::string_view(name).substr(prefix.size()))) {
      found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

// Each core is known by the list of its hardware threads.
int physical_cores(const fs::path& root) {
  std::set<std::string> cores;
  for (const fs::path& cpu : folders_named(root / "sys/devices/system/cpu", "cpu")) {
    const std::string threads = first_line(cpu / "topology/thread_siblings_list");
    if (!threads.empty()) cores.insert(threads);
  }
  return static_cast<int>(cores.size());
}

std::vector<CpuCache> caches(const fs::path& root) {
  std::vector<CpuCache> found;
  for (const fs::path& index : folders_named(root / "sys/devices/system/cpu/cpu0/cache", "index")) {
    found.push_back({.level = to_int(first_line(index / "level")),
                     .type = first_line(index / "type"),
                     .bytes = to_bytes(first_line(index / "size")),
                     .line_bytes = to_int(first_line(index / "coherency_line_size")),
                     .ways = to_int(first_line(index / "ways_of_associativity")),
                     .shared_by = first_line(index / "shared_cpu_list")});
  }
  std::ranges::stable_sort(found, {}, &CpuCache::level);
  return found;
}

// The number after `key` in a file of "key number" or "key: number kB" lines.
std::optional<uint64_t> number_after(const fs::path& path, std::string_view key) {
  std::ifstream in(path);
  for (std::string word; in >> word;) {
    uint64_t number = 0;
    if (word == key && in >> number) return number;
  }
  return std::nullopt;
}

// The two generations of control groups differ in where they are and what they call things.
struct Cgroup {
  fs::path top;
  std::string_view limit_file;
  std::string_view usage_file;
  std::string_view cache_key;  // In memory.stat: file pages the kernel gives up first.
};

// The process's group below `top`: the path after "0::" (version 2) or ":memory:" (version 1).
fs::path group_of_process(const fs::path& root, std::string_view marker) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const size_t at = line.find(marker);
    if (at == std::string::npos) continue;
    return fs::path(line.substr(at + marker.size())).relative_path();
  }
  return {};
}

void apply_limit(const Cgroup& kind, const fs::path& group, MemoryInfo& memory) {
  const auto limit = to_number(first_line(kind.top / group / kind.limit_file));
  if (!limit || *limit >= memory.total_bytes) return;
  memory.total_bytes = *limit;
  memory.limited = true;
  const uint64_t usage = to_number(first_line(kind.top / group / kind.usage_file)).value_or(0);
  const uint64_t cache = number_after(kind.top / group / "memory.stat", kind.cache_key).value_or(0);
  const uint64_t used = usage - std::min(usage, cache);
  const uint64_t left = *limit - std::min(*limit, used);
  memory.available_bytes = std::min(memory.available_bytes, left);
}

// A limit on any group above the process's own binds too.
void apply_limits(const Cgroup& kind, fs::path group, MemoryInfo& memory) {
  for (; !group.empty(); group = group.parent_path()) apply_limit(kind, group, memory);
  apply_limit(kind, "", memory);
}

// Whether the variable names any, of this CPU or of another.
bool features_are_taken() {
  const Result<CpuFeatures> taken = taken_cpu_features();
  return taken.ok() && *taken != kNoFeature;
}

}  // namespace

CpuInfo cpu_info(const fs::path& root) {
  utsname system{};
  uname(&system);
  const int cores = physical_cores(root);
  return {.name = cpu_name(root),
          .architecture = system.machine,
          .cores = cores > 0 ? cores : cpu_share().machine,
          .cpus = cpu_share().machine,
          .threads = hardware_threads(),
          .features = cpu_features(),
          .taken = detected_cpu_features() & ~cpu_features(),
          .takes_nothing = features_are_taken() && cpu_features() == detected_cpu_features(),
          .caches = caches(root)};
}

size_t second_level_cache_bytes() {
  static const size_t bytes = [] {
    for (const CpuCache& cache : caches("/")) {
      if (cache.level != 2 || cache.bytes == 0) continue;
      return static_cast<size_t>(std::clamp<uint64_t>(cache.bytes, 256u << 10, 2u << 20));
    }
    return size_t{1} << 20;
  }();
  return bytes;
}

MemoryInfo memory_info(const fs::path& root) {
  const fs::path meminfo = root / "proc/meminfo";
  MemoryInfo memory = {.total_bytes = 1024 * number_after(meminfo, "MemTotal:").value_or(0),
                       .available_bytes = 1024 * number_after(meminfo, "MemAvailable:").value_or(0),
                       .limited = false};
  const fs::path groups = root / "sys/fs/cgroup";
  apply_limits({groups, "memory.max", "memory.current", "inactive_file"},
               group_of_process(root, "0::"), memory);
  apply_limits(
      {groups / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
      group_of_process(root, ":memory:"), memory);
  return memory;
}

}  // namespace hone
