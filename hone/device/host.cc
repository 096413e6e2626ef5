#include "hone/device/host.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "hone/base/str.h"
#include "hone/device/host_parts.h"

namespace hone {
namespace {

// PRETTY_NAME of os-release(5), without its quotes.
std::string system_name() {
  constexpr std::string_view kKey = "PRETTY_NAME=";
  std::ifstream in("/etc/os-release");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(kKey)) continue;
    line.erase(0, kKey.size());
    std::erase(line, '"');
    return line;
  }
  return "unknown system";
}

std::string kernel_name() {
  utsname system{};
  uname(&system);
  return str(system.sysname, " ", system.release);
}

}  // namespace

HostReport inspect_host() {
  HostReport report = {.system = system_name(),
                       .kernel = kernel_name(),
                       .cpu = cpu_info(),
                       .memory = memory_info(),
                       .parts = find_programs()};
  std::ranges::move(find_gpus(), std::back_inserter(report.parts));
  std::ranges::move(find_measurements(), std::back_inserter(report.parts));
  return report;
}

std::string install_command(const HostReport& report) {
  std::vector<std::string> packages;
  for (const HostPart& part : report.parts) {
    if (!part.found && !part.package.empty()) packages.push_back(part.package);
  }
  if (packages.empty()) return "";
  std::ranges::sort(packages);
  packages.erase(std::unique(packages.begin(), packages.end()), packages.end());
  return str(geteuid() == 0 ? "" : "sudo ", "apt-get install ", join(packages, " "));
}

}  // namespace hone
