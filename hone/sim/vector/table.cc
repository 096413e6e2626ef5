#include "hone/kernels/lut_i8/lut_i8.h"
#include "hone/sim/vector/vector_views.h"
#include "hone/sim/view_checks.h"

namespace hone::sim {
namespace {

void run_table(const VectorCommand& command, const VectorOperands& operands, Scratch&) {
  static const LutI8 look_up = best_variant(lut_i8_variants()).run;
  const auto* table = as<uint8_t>(operands.constants);
  for_each_pair(command, operands, [&](const std::byte* from, std::byte* to, size_t bytes) {
    look_up(bytes, table, as<uint8_t>(from), as<uint8_t>(to));
  });
}

int64_t constant_bytes_table(const VectorCommand&) {
  return 256;
}

}  // namespace

extern const VectorOpDef vector_op_table = {
    .name = "table",
    .summary = "constants[a]: 256 bytes, indexed by the byte as it is.",
    .run = run_table,
    .check = check_alike,
    .constant_bytes = constant_bytes_table,
    .in_place = true,
};

}  // namespace hone::sim
