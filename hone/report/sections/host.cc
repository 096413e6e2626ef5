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

Blocks host_blocks(const HostReport& report, const ShowOptions&) {
  const CpuInfo& cpu = report.cpu;
  const std::string features = join(feature_names(cpu.features), " ");
  Facts facts{{{"system", str(report.system, ", ", report.kernel)},
               {"cpu", str(cpu.name, ", ", cpu.cores, " cores, ", cpus_text(cpu))}}};
  if (!features.empty()) facts.items.emplace_back("features", features);
  if (cpu.taken != kNoFeature) {
    facts.items.emplace_back("without",
                             str(join(feature_names(cpu.taken), " "), " (HONE_CPU_FEATURES)"));
  }
  facts.items.emplace_back("memory", str(human_bytes(report.memory.total_bytes), ", ",
                                         human_bytes(report.memory.available_bytes), " available"));
  return {facts};
}

}  // namespace

extern const SectionDef section_host = {.title = "This machine", .of_host = host_blocks};

}  // namespace hone
