#include "hone/profile/system_view.h"

#include <sys/resource.h>

#include <fstream>
#include <sstream>
#include <string>

#include "hone/profile/system_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Nanoseconds that each thread of this process waited for a core: the second number of schedstat.
std::optional<double> run_queue_wait(const fs::path& root) {
  std::error_code failed;
  std::optional<double> seconds;
  for (const auto& task : fs::directory_iterator(root / "proc/self/task", failed)) {
    std::ifstream file(task.path() / "schedstat");
    double ran = 0;
    double waited = 0;
    if (file >> ran >> waited) seconds = seconds.value_or(0) + waited * 1e-9;
  }
  return seconds;
}

// "se.nr_migrations   :   12" of every thread.
std::optional<double> migrations(const fs::path& root) {
  std::error_code failed;
  std::optional<double> total;
  for (const auto& task : fs::directory_iterator(root / "proc/self/task", failed)) {
    std::ifstream file(task.path() / "sched");
    for (std::string line; std::getline(file, line);) {
      if (line.find("nr_migrations") == std::string::npos) continue;
      total = total.value_or(0) + std::stod(line.substr(line.find(':') + 1));
      break;
    }
  }
  return total;
}

// The first number of the line "intr" is the sum over all interrupts.
std::optional<double> interrupts(const fs::path& root) {
  std::ifstream file(root / "proc/stat");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double count = 0;
    if (words >> name >> count && name == "intr") return count;
  }
  return std::nullopt;
}

std::optional<double> clock_mhz(const fs::path& root) {
  const auto khz = number_in(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq");
  return khz ? std::optional(*khz / 1000) : std::nullopt;
}

Metric difference(std::string name, std::string unit, std::optional<double> before,
                  std::optional<double> after, std::string missing) {
  if (!before || !after) return unavailable(std::move(name), std::move(unit), std::move(missing));
  // A thread that ends takes its counts along.
  if (*after < *before) {
    return unavailable(std::move(name), std::move(unit), "the counter went backwards");
  }
  return {.name = std::move(name), .value = *after - *before, .unit = std::move(unit)};
}

}  // namespace

SystemSnapshot system_snapshot(const fs::path& root) {
  SystemSnapshot now;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    now.voluntary_switches = static_cast<double>(usage.ru_nvcsw);
    now.involuntary_switches = static_cast<double>(usage.ru_nivcsw);
    now.minor_faults = static_cast<double>(usage.ru_minflt);
    now.major_faults = static_cast<double>(usage.ru_majflt);
  }
  now.migrations = migrations(root);
  now.run_queue_wait_seconds = run_queue_wait(root);
  now.interrupts = interrupts(root);
  now.clock_mhz = clock_mhz(root);
  return now;
}

std::vector<Metric> system_metrics(const SystemSnapshot& before, const SystemSnapshot& after,
                                   double seconds) {
  const std::string no_usage = "getrusage failed";
  std::vector<Metric> metrics = {
      difference("voluntary_switches", "", before.voluntary_switches, after.voluntary_switches,
                 no_usage),
      difference("involuntary_switches", "", before.involuntary_switches,
                 after.involuntary_switches, no_usage),
      difference("minor_faults", "", before.minor_faults, after.minor_faults, no_usage),
      difference("major_faults", "", before.major_faults, after.major_faults, no_usage),
      difference("migrations", "", before.migrations, after.migrations,
                 "the kernel shows no /proc/self/sched"),
      difference("run_queue_wait", "s", before.run_queue_wait_seconds, after.run_queue_wait_seconds,
                 "the kernel shows no /proc/self/schedstat"),
      difference("interrupts", "", before.interrupts, after.interrupts,
                 "the kernel shows no interrupts in /proc/stat"),
  };
  metrics.back().note = "on all cores";
  if (before.clock_mhz && after.clock_mhz) {
    metrics.push_back({.name = "clock",
                       .value = after.clock_mhz,
                       .unit = "MHz",
                       .low = std::min(*before.clock_mhz, *after.clock_mhz),
                       .high = std::max(*before.clock_mhz, *after.clock_mhz),
                       .note = "of core 0, at the start and at the end"});
  } else {
    metrics.push_back(unavailable("clock", "MHz", "no cpufreq in /sys (a virtual machine?)"));
  }
  metrics.push_back({.name = "measured_for", .value = seconds, .unit = "s"});
  return metrics;
}

}  // namespace hone
