#include "hone/base/cpu_share.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

#include "hone/base/str.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

std::string first_line(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// Lines of /proc/self/cgroup are "ID:CONTROLLERS:PATH"; version 2 has one without controllers.
bool has_controller(std::string_view controllers, std::string_view wanted) {
  if (wanted.empty()) return controllers.empty();
  return str(",", controllers, ",").find(str(",", wanted, ",")) != std::string::npos;
}

fs::path group_of_process(const fs::path& root, std::string_view controller) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!has_controller(controllers, controller)) continue;
    return fs::path(line.substr(second + 1)).relative_path();
  }
  return {};
}

double quota_v2(const fs::path& group) {
  return parse_cpu_quota(first_line(group / "cpu.max"));
}

double quota_v1(const fs::path& group) {
  return parse_cpu_quota(
      str(first_line(group / "cpu.cfs_quota_us"), " ", first_line(group / "cpu.cfs_period_us")));
}

// A quota of any group above the process's own binds too.
double least_quota(const fs::path& top, fs::path group, double (*quota_of)(const fs::path&)) {
  double least = quota_of(top);
  for (; !group.empty(); group = group.parent_path()) {
    least = std::min(least, quota_of(top / group));
  }
  return least;
}

}  // namespace

int CpuShare::threads() const {
  const double allowed =
      static_cast<double>(cpus.empty() ? static_cast<size_t>(machine) : cpus.size());
  return std::max(1, static_cast<int>(std::min(allowed, std::ceil(quota))));
}

std::string CpuShare::list() const {
  std::vector<std::string> ranges;
  for (size_t i = 0; i < cpus.size();) {
    size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    ranges.push_back(last == i ? str(cpus[i]) : str(cpus[i], "-", cpus[last]));
    i = last + 1;
  }
  return join(ranges, ",");
}

CpuShare read_cpu_share(const fs::path& root) {
  const fs::path groups = root / "sys/fs/cgroup";
  CpuShare share;
  share.machine = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  share.cpus = allowed_cpus();
  share.quota = std::min(least_quota(groups, group_of_process(root, ""), quota_v2),
                         least_quota(groups / "cpu", group_of_process(root, "cpu"), quota_v1));
  return share;
}

const CpuShare& cpu_share() {
  static const CpuShare share = read_cpu_share();
  return share;
}

double parse_cpu_quota(std::string_view text) {
  std::istringstream in{std::string(text)};
  double quota = 0;
  double period = 0;
  if (!(in >> quota >> period) || quota <= 0 || period <= 0) return kUnlimited;
  return quota / period;
}

}  // namespace hone
