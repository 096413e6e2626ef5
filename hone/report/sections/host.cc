#include "hone/device/host.h"

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

std::string cpus_text(const CpuInfo& cpu) {
  const std::string all = str(cpu.cpus, cpu.cpus == 1 ? " CPU" : " CPUs");
  if (cpu.threads >= cpu.cpus) return str(all, ", this process may use all");
  return str(all, ", of which this process may use ", cpu.threads, " (affinity or quota)");
}

// Empty where nothing was to be taken.
std::string without_text(const CpuInfo& cpu) {
  if (cpu.takes_nothing) return "nothing: this CPU has none of what HONE_CPU_FEATURES takes away";
  if (cpu.taken == kNoFeature) return "";
  return str(join(feature_names(cpu.taken), " "), " (HONE_CPU_FEATURES)");
}

Blocks host_blocks(const HostReport& report, const ShowOptions&) {
  const CpuInfo& cpu = report.cpu;
  const std::string features = join(feature_names(cpu.features), " ");
  Facts facts{{{"system", str(report.system, ", ", report.kernel)},
               {"cpu", str(cpu.name, ", ", cpu.cores, " cores, ", cpus_text(cpu))}}};
  facts.items.emplace_back("features", features.empty() ? "none" : features);
  if (const std::string without = without_text(cpu); !without.empty()) {
    facts.items.emplace_back("without", without);
  }
  facts.items.emplace_back("memory", str(human_bytes(report.memory.total_bytes), ", ",
                                         human_bytes(report.memory.available_bytes), " available"));
  return {facts};
}

}  // namespace

extern const SectionDef section_host = {.title = "This machine", .of_host = host_blocks};

}  // namespace hone
