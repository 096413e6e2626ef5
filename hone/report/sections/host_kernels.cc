#include "hone/device/host.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks host_kernels_blocks(const HostReport& report, const ShowOptions&) {
  DataTable table{.columns = {{"precision"}, {"work"}, {"kernel"}}};
  for (const HostKernel& chosen : report.kernels) {
    const bool slow = chosen.kernel.starts_with("reference");
    table.rows.push_back({chosen.precision, chosen.work,
                          slow ? Cell(chosen.kernel, Tone::Warn) : Cell(chosen.kernel)});
  }
  if (table.rows.empty()) return {};
  return {table};
}

}  // namespace

extern const SectionDef section_host_kernels = {.title = "Kernels", .of_host = host_kernels_blocks};

}  // namespace hone
