#include <cmath>

#include "hone/base/text.h"
#include "hone/device/device_class.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

// Beside those of a multiply-add of a 1x1 convolution, which says more than nanoseconds at 1 GOP/s.
Blocks class_costs_blocks(const DeviceClass& learned, const ShowOptions&) {
  DataTable table{
      .columns = {{"family"}, {"cost, pointwise = 1", true}, {"from device to device, x", true}}};
  for (size_t i = 0; i < kFamilyCount; ++i) {
    const double relative = std::exp(learned.costs.log_ns[i] - learned.costs.log_ns[0]);
    const double spread = std::exp(std::sqrt(learned.costs.covariance[i][i]));
    table.rows.push_back({std::string(kKernelFamilies[i]),
                          relative < 100 ? fixed(relative, 2) : fixed(relative, 0),
                          fixed(spread, 2)});
  }
  return {table, Paragraph{"of a multiply-add, an element (pass, move, weights), a step, a run; "
                           "two devices of three are within the factor"}};
}

}  // namespace

extern const SectionDef section_class_costs = {.title = "Costs", .of_class = class_costs_blocks};

}  // namespace hone
