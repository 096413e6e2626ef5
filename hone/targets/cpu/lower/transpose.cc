#include "hone/kernels/transpose/transpose.h"

#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/row_step.h"

namespace hone::cpu {
namespace {

struct TransposeSpec {
  std::vector<size_t> shape;
  std::vector<size_t> perm;
  size_t element_bytes;

  // Images from nchw to nhwc.
  bool interleaves_planes() const { return perm == std::vector<size_t>{0, 2, 3, 1}; }
  TransposePlan plan() const { return {shape, perm, element_bytes}; }
};

class TransposeStep final : public RowStep {
 public:
  TransposeStep(const Node& transpose, const TransposeSpec& spec, StepBuilder& builder)
      : plan_(spec.plan()), variant_(best_variant(transpose_2d_variants())) {
    kind = step_kind(StepFamily::Movement, "transpose", variant_.name);
    const auto threads = static_cast<size_t>(builder.options().threads);
    per_task_ = threads == 1 ? plan_.units() : plan_.units() / (4 * threads) + 1;
    x_ = builder.read(transpose.inputs[0]);
    y_ = builder.write(transpose.outputs[0]);
    reads_planes = true;
    if (spec.interleaves_planes()) set_planes(spec);
  }

  Status run(const Frame& frame) const override {
    const size_t tasks = (plan_.units() + per_task_ - 1) / per_task_;
    frame.workers->run(tasks, [&](size_t task, size_t) {
      const size_t first = task * per_task_;
      plan_.run(variant_.run, frame.in<std::byte>(x_), frame.out<std::byte>(y_), first,
                std::min(plan_.units(), first + per_task_));
    });
    return Done{};
  }

  void run_rows(const Frame&, const RowBases& bases, size_t, const RowRange& rows,
                size_t) const override {
    const size_t first = rows.begin * width_ * element_bytes_;
    variant_.run.of(element_bytes_)(planes_, rows.count() * width_, bases.x + first,
                                    row_shape.out_rows() * width_, bases.y + first * planes_,
                                    planes_);
  }

 private:
  void set_planes(const TransposeSpec& spec) {
    planes_ = spec.shape[1];
    width_ = spec.shape[3];
    element_bytes_ = spec.element_bytes;
    const auto height = static_cast<int64_t>(spec.shape[2]);
    const size_t row_bytes = planes_ * width_ * element_bytes_;
    row_shape = {.images = spec.shape[0],
                 .height = {.in = height, .out = height},
                 .in_row_bytes = row_bytes,
                 .out_row_bytes = row_bytes};
  }

  TransposePlan plan_;
  const KernelVariant<Transpose2d>& variant_;
  size_t per_task_ = 1;
  // Of a step that runs by rows.
  size_t planes_ = 0;
  size_t width_ = 0;
  size_t element_bytes_ = 0;
  Slot x_ = 0;
  Slot y_ = 0;
};

std::unique_ptr<Step> lower_transpose_node(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  if (!builder.planned(x) || !builder.planned(node.outputs[0]) || x->constant) return nullptr;
  const TensorType& type = x->type.tensor;
  const int bits = bits_of(type.dtype);
  const bool fits = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  if (!fits || type.elements() == 0 || type.shape.size() > TransposePlan::kMostAxes) {
    return nullptr;
  }
  const size_t rank = type.shape.size();
  TransposeSpec spec{.shape = {type.shape.begin(), type.shape.end()},
                     .perm = {},
                     .element_bytes = static_cast<size_t>(bits) / 8};
  const Ints* given = node.find_attr<Ints>("perm");
  for (size_t i = 0; i < rank; ++i) {
    spec.perm.push_back(given == nullptr ? rank - 1 - i : static_cast<size_t>((*given)[i]));
  }
  return std::make_unique<TransposeStep>(node, spec, builder);
}

}  // namespace

extern const LoweringDef lower_transpose = {.op = "transpose", .lower = lower_transpose_node};

}  // namespace hone::cpu
