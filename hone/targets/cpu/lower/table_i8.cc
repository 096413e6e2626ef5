// Functions of one int8 or uint8 value, as a table of all 256: the reference fills it.

#include "hone/kernels/lut_i8/lut_i8.h"
#include "hone/targets/common/byte_table.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/map_step.h"

namespace hone::cpu {
namespace {

std::unique_ptr<Step> lower_table_i8_node(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  if (!builder.planned(x) || !builder.planned(y) || x->constant) return nullptr;
  const auto table = byte_table(node, builder.options().eval);
  if (!table) return nullptr;
  const KernelVariant<LutI8>& variant = best_variant(lut_i8_variants());
  const auto map = [table = *table, run = variant.run](size_t n, const uint8_t* bytes,
                                                       uint8_t* results) {
    run(n, table.data(), bytes, results);
  };
  return make_map_step<uint8_t, uint8_t>(step_kind(StepFamily::Elementwise, "lut_i8", variant.name),
                                         x, y, 1, map, builder);
}

}  // namespace

extern const LoweringDef lower_lookup_i8 = {.op = "lookup", .lower = lower_table_i8_node};
extern const LoweringDef lower_requantize_i8 = {.op = "requantize", .lower = lower_table_i8_node};
extern const LoweringDef lower_sigmoid_i8 = {.op = "sigmoid", .lower = lower_table_i8_node};
extern const LoweringDef lower_tanh_i8 = {.op = "tanh", .lower = lower_table_i8_node};
extern const LoweringDef lower_elu_i8 = {.op = "elu", .lower = lower_table_i8_node};
extern const LoweringDef lower_gelu_i8 = {.op = "gelu", .lower = lower_table_i8_node};
extern const LoweringDef lower_hard_swish_i8 = {.op = "hard_swish", .lower = lower_table_i8_node};
extern const LoweringDef lower_leaky_relu_i8 = {.op = "leaky_relu", .lower = lower_table_i8_node};

}  // namespace hone::cpu
