#include "hone/base/text.h"
#include "hone/device/fitted_device.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks fitted_parameters_blocks(const FittedDevice& fit, const ShowOptions&) {
  if (fit.parameters.empty()) {
    return {Paragraph{"no parameter of this device moves these predictions"}};
  }
  DataTable table{.columns = {{"fitted"}, {"before", true}, {"after", true}}};
  for (const FittedParameter& parameter : fit.parameters) {
    table.rows.push_back({parameter.name, fixed(parameter.before, 3), fixed(parameter.after, 3)});
  }
  return {table};
}

}  // namespace

extern const SectionDef section_fitted_parameters = {.title = "What was fitted",
                                                     .of_fit = fitted_parameters_blocks};

}  // namespace hone
