#include "hone/targets/analytic/analytic_kind.h"

namespace hone {

extern const DeviceKindDef device_kind_gpu = analytic_kind("gpu");

}  // namespace hone
