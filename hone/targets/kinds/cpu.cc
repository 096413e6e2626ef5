#include "hone/targets/analytic/analytic_kind.h"

namespace hone {

extern const DeviceKindDef device_kind_cpu = analytic_kind("cpu");

}  // namespace hone
