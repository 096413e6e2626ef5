#include "hone/targets/analytic/analytic_kind.h"

namespace hone {

extern const DeviceKindDef device_kind_mcu = analytic_kind("mcu");

}  // namespace hone
