#include <algorithm>
#include <array>

#include "hone/base/text.h"
#include "hone/device/device_file.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

// A row per precision, a column per kind of kernel.
Blocks kernel_reach_blocks(const DeviceFile& device, const ShowOptions&) {
  if (device.kernels.empty()) return {};
  constexpr std::array kKinds = {"product", "winograd", "depthwise", "other", "streaming"};
  DataTable table{.columns = {{"kernels reach, % of roof"}}};
  for (const char* kind : kKinds) table.columns.push_back({kind, true});
  for (const KernelReach& first : device.kernels) {
    if (first.kind != kKinds[0]) continue;
    TableRow row = {first.precision};
    for (const std::string_view kind : kKinds) {
      const auto is = [&](const KernelReach& kernel) {
        return kernel.kind == kind && kernel.precision == first.precision;
      };
      const auto found = std::ranges::find_if(device.kernels, is);
      row.push_back(found == device.kernels.end() ? "-" : fixed(100 * found->of_roof, 0));
    }
    table.rows.push_back(std::move(row));
  }
  return {table, Paragraph{"of a network of common layers, and of one pass over what the second "
                           "level holds; one thread"}};
}

}  // namespace

extern const SectionDef section_kernel_reach = {.title = "Kernels",
                                                .of_machine = kernel_reach_blocks};

}  // namespace hone
