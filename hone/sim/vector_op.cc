#include "hone/sim/vector_op.h"

namespace hone::sim {

const std::vector<const VectorOpDef*>& vector_ops() {
  static const std::vector<const VectorOpDef*> kOps = {
#define HONE_VECTOR_OP(name) &vector_op_##name,
#include "hone/sim/vector_ops.inc"
#undef HONE_VECTOR_OP
  };
  return kOps;
}

}  // namespace hone::sim
