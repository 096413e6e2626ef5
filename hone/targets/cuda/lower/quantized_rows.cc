// Softmax of int8 and uint8 rows.

#include "hone/ops/op_def.h"
#include "hone/ops/softmax/softmax_quantized.h"
#include "hone/targets/cuda/quantized.h"

namespace hone::cuda {
namespace {

std::optional<Step> lower_softmax_i8_node(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  // Along the last axis, as the operator checks.
  if (x->constant || !is_byte_tensor(x, builder) || !is_integer_tensor(y, builder) ||
      x->type.tensor.rank() == 0) {
    return std::nullopt;
  }
  const int64_t columns = x->type.tensor.shape.back();
  const int64_t block = columns <= 64 ? 32 : columns <= 1024 ? 128 : 512;
  const IntRange range = range_of(y->type.tensor.dtype);
  SourceMaker source;
  define_rounding(source, builder).define("T", integer_name(x->type.tensor.dtype));
  source.define("Y", integer_name(y->type.tensor.dtype)).define("COLUMNS", columns);
  source.define("BLOCK", block)
      .define("LOW", int64_t{range.low})
      .define("HIGH", int64_t{range.high});
  const Slot from = builder.read(x);
  const auto exponentials =
      byte_exponentials(x->type.tensor.quant->scale(), builder.options().eval.rounding);
  const Slot table = builder.packed(Tensor::of<int32_t>({256}, exponentials));
  Launch launch{.kernel = source.make("softmax_i8", "softmax_i8", {"integers", "fixed_functions"}),
                .grid = {static_cast<unsigned>(x->type.tensor.elements() / columns), 1, 1},
                .block = static_cast<unsigned>(block),
                .arguments = {from, table, builder.write(y)}};
  return Step{.kind = kind_of_step(StepFamily::Rows, "softmax_i8", node),
              .variants = {{str(block, " threads"), {std::move(launch)}}}};
}

}  // namespace

extern const LoweringDef lower_softmax_i8 = {.op = "softmax", .lower = lower_softmax_i8_node};

}  // namespace hone::cuda
