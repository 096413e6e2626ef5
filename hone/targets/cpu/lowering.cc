#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {

#define HONE_LOWERING(name) extern const LoweringDef lower_##name;
#include "hone/targets/cpu/lowerings.inc"
#undef HONE_LOWERING

const std::vector<const LoweringDef*>& all_lowerings() {
  static const std::vector<const LoweringDef*> kLowerings = {
#define HONE_LOWERING(name) &lower_##name,
#include "hone/targets/cpu/lowerings.inc"
#undef HONE_LOWERING
  };
  return kLowerings;
}

}  // namespace hone::cpu
