#include "hone/targets/analytic/analytic_kind.h"
#include "hone/targets/hexagon/hexagon_target.h"

namespace hone {
namespace {

// As other processors that are known by a few numbers, with programs that can be written.
constexpr DeviceKindDef dsp_kind() {
  DeviceKindDef kind = analytic_kind("dsp");
  kind.open = make_hexagon_target;
  return kind;
}

}  // namespace

extern const DeviceKindDef device_kind_dsp = dsp_kind();

}  // namespace hone
