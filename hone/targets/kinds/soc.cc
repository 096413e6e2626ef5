// A phone's or board's chip whose accelerator is known by its peak alone.

#include "hone/targets/analytic/analytic_kind.h"

namespace hone {

extern const DeviceKindDef device_kind_soc = analytic_kind("soc");

}  // namespace hone
