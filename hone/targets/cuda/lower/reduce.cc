// Reductions over any axes, and where along an axis an extreme is.

#include <algorithm>

#include "hone/ops/op_def.h"
#include "hone/targets/cuda/strided.h"

namespace hone::cuda {
namespace {

// What becomes of a group's elements, in the kernel's language.
struct ReductionText {
  std::string_view op;
  std::string_view first;
  std::string_view step;
  std::string_view join;
  std::string_view last;
};
constexpr ReductionText kReductions[] = {
    {"reduce_sum", "0.0f", "((a) + (v))", "((a) + (b))", "(a)"},
    {"reduce_mean", "0.0f", "((a) + (v))", "((a) + (b))", "((a) / (float)DEPTH)"},
    {"reduce_sum_square", "0.0f", "((a) + (v) * (v))", "((a) + (b))", "(a)"},
    {"reduce_l1", "0.0f", "((a) + fabsf(v))", "((a) + (b))", "(a)"},
    {"reduce_l2", "0.0f", "((a) + (v) * (v))", "((a) + (b))", "sqrtf(a)"},
    {"reduce_log_sum", "0.0f", "((a) + (v))", "((a) + (b))", "logf(a)"},
    {"reduce_prod", "1.0f", "((a) * (v))", "((a) * (b))", "(a)"},
    {"reduce_max", "(-__int_as_float(0x7f800000))", "larger(a, v)", "larger(a, b)", "(a)"},
    {"reduce_min", "__int_as_float(0x7f800000)", "smaller(a, v)", "smaller(a, b)", "(a)"},
};

// Axes that stay and axes that go, each as few as possible.
struct ReducedView {
  StridedView kept;
  StridedView reduced;
  bool last_is_kept = false;

  int64_t groups() const { return elements(kept.extents); }
  int64_t depth() const { return elements(reduced.extents); }
};

ReducedView reduced_view(const Shape& shape, const std::vector<bool>& reduced) {
  const Ints strides = dense_strides(shape);
  ReducedView view{.kept = {{}, {{}}}, .reduced = {{}, {{}}}};
  for (size_t i = 0; i < shape.size(); ++i) {
    StridedView& side = reduced[i] ? view.reduced : view.kept;
    side.extents.push_back(shape[i]);
    side.strides[0].push_back(strides[i]);
    if (shape[i] > 1) view.last_is_kept = !reduced[i];
  }
  view.kept = merged(view.kept);
  view.reduced = merged(view.reduced);
  return view;
}

std::string strides_text(std::string_view name, const StridedView& view) {
  return str("__device__ __forceinline__ i64 ", name, "(int i) {\n", coordinates_text(view.extents),
             "  return ", address_text(view.strides[0], 0), ";\n}\n");
}

Variant reduce_variant(SourceMaker source, const ReducedView& view, int64_t parts,
                       const std::vector<Slot>& slots) {
  constexpr int64_t kThreads = 256;
  const int64_t outs = std::max(kThreads / parts, int64_t{1});
  source.define("GROUPS", view.groups()).define("DEPTH", view.depth());
  source.define("OUTS", outs).define("PARTS", parts);
  source.define("OUTS_FIRST", view.last_is_kept ? 1 : 0);
  const std::string text = str(strides_text("kept_at", view.kept),
                               strides_text("reduced_at", view.reduced), source_text("reduce"));
  Launch launch{.kernel = source.make_of(text, "reduce", "reduce"),
                .grid = {static_cast<unsigned>((view.groups() + outs - 1) / outs), 1, 1},
                .block = static_cast<unsigned>(outs * parts),
                .arguments = slots};
  return {str(parts, " threads a group"), {std::move(launch)}};
}

// Threads for a group, from as many as fill the GPU on.
std::vector<Variant> reduce_variants(const SourceMaker& source, const ReducedView& view,
                                     const std::vector<Slot>& slots, const GpuInfo& gpu) {
  constexpr int64_t kEnoughThreads = 512;  // Of a multiprocessor.
  std::vector<int64_t> choices = {1, 8, 32, 256, 1024};
  std::erase_if(choices, [&](int64_t parts) { return parts > 1 && parts > view.depth(); });
  const auto fills = [&](int64_t parts) {
    return view.groups() * parts >= kEnoughThreads * gpu.multiprocessors;
  };
  // The fewest that fill it first, then the others, nearest first; where none does, the most.
  const auto best = std::ranges::find_if(choices, fills);
  const int64_t likeliest = best == choices.end() ? choices.back() : *best;
  std::ranges::stable_sort(choices, {}, [&](int64_t parts) {
    return parts > likeliest ? parts / likeliest : likeliest / parts;
  });
  std::vector<Variant> variants;
  for (const int64_t parts : choices) {
    variants.push_back(reduce_variant(source, view, parts, slots));
  }
  return variants;
}

// By axis, whether it goes. Nothing where a run decides that.
std::optional<std::vector<bool>> axes_that_go(const Node& node) {
  const NodeContext context(*find_op(node.op), node);
  const int64_t rank = node.inputs[0]->type.tensor.rank();
  const Value* given = input_of(node, 1);
  if (given != nullptr && !given->constant) return std::nullopt;
  const Ints axes = given == nullptr ? Ints() : to_ints(*given->constant);
  const bool all = axes.empty() && context.integer("noop_with_empty_axes") == 0;
  std::vector<bool> reduced(static_cast<size_t>(rank), all);
  for (const int64_t axis : axes)
    reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  return reduced;
}

std::optional<Step> lower_reduction(const Node& node, StepBuilder& builder) {
  if (!is_float_tensor(node.inputs[0], builder) || !is_float_tensor(node.outputs[0], builder) ||
      node.inputs[0]->constant) {
    return std::nullopt;
  }
  const auto reduced = axes_that_go(node);
  const auto* text = std::ranges::find(kReductions, node.op, &ReductionText::op);
  if (!reduced || text == std::end(kReductions)) return std::nullopt;
  const TensorType& type = node.inputs[0]->type.tensor;
  SourceMaker source;
  source.element(type.dtype).define("Y", type_name(type.dtype)).define("FIRST", text->first);
  source.define("STEP(a, v)", text->step).define("JOIN(a, b)", text->join);
  source.define("LAST(a)", text->last);
  const std::vector<Slot> slots = {builder.read(node.inputs[0]), builder.write(node.outputs[0])};
  return Step{.kind = kind_of_step(StepFamily::Rows, "reduce", node),
              .variants = reduce_variants(source, reduced_view(type.shape, *reduced), slots,
                                          builder.gpu())};
}

std::optional<Step> lower_arg(const Node& node, StepBuilder& builder) {
  if (!is_float_tensor(node.inputs[0], builder) || !builder.planned(node.outputs[0]) ||
      node.inputs[0]->constant) {
    return std::nullopt;
  }
  const NodeContext context(*find_op(node.op), node);
  const TensorType& type = node.inputs[0]->type.tensor;
  if (type.rank() == 0) return std::nullopt;
  const int64_t axis = context.integer("axis");
  std::vector<bool> reduced(type.shape.size(), false);
  reduced[static_cast<size_t>(axis < 0 ? axis + type.rank() : axis)] = true;
  SourceMaker source;
  source.element(type.dtype).define("Y", "i64").define("ARG", "");
  source.define("BEATS(a, b)", node.op == "arg_max" ? "((a) > (b))" : "((a) < (b))");
  source.define("LAST_INDEX", context.integer("select_last_index") != 0 ? 1 : 0);
  const std::vector<Slot> slots = {builder.read(node.inputs[0]), builder.write(node.outputs[0])};
  return Step{
      .kind = kind_of_step(StepFamily::Rows, "reduce", node),
      .variants = reduce_variants(source, reduced_view(type.shape, reduced), slots, builder.gpu())};
}

}  // namespace

extern const LoweringDef lower_any_mean = {.op = "reduce_mean", .lower = lower_reduction};
extern const LoweringDef lower_reduce_sum = {.op = "reduce_sum", .lower = lower_reduction};
extern const LoweringDef lower_reduce_sum_square = {.op = "reduce_sum_square",
                                                    .lower = lower_reduction};
extern const LoweringDef lower_reduce_l1 = {.op = "reduce_l1", .lower = lower_reduction};
extern const LoweringDef lower_reduce_l2 = {.op = "reduce_l2", .lower = lower_reduction};
extern const LoweringDef lower_reduce_log_sum = {.op = "reduce_log_sum", .lower = lower_reduction};
extern const LoweringDef lower_reduce_prod = {.op = "reduce_prod", .lower = lower_reduction};
extern const LoweringDef lower_reduce_max = {.op = "reduce_max", .lower = lower_reduction};
extern const LoweringDef lower_reduce_min = {.op = "reduce_min", .lower = lower_reduction};
extern const LoweringDef lower_arg_max = {.op = "arg_max", .lower = lower_arg};
extern const LoweringDef lower_arg_min = {.op = "arg_min", .lower = lower_arg};

}  // namespace hone::cuda
