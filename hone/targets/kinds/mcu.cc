#include "hone/targets/analytic/analytic_kind.h"
#include "hone/targets/cortex_m/cortex_m_target.h"

namespace hone {
namespace {

// As other processors that are known by a few numbers, with programs that can be written.
constexpr DeviceKindDef mcu_kind() {
  DeviceKindDef kind = analytic_kind("mcu");
  kind.open = make_cortex_m_target;
  kind.makes_firmware = true;
  return kind;
}

}  // namespace

extern const DeviceKindDef device_kind_mcu = mcu_kind();

}  // namespace hone
