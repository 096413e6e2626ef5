// Resizes of all kinds, by tables of what each output takes along every axis. Those that only repeat
// elements are copies (movement.cc).

#include <algorithm>

#include "hone/ops/op_def.h"
#include "hone/ops/vision/resize_plan.h"
#include "hone/targets/cuda/strided.h"

namespace hone::cuda {
namespace {

constexpr unsigned kResampleBlock = 256;
constexpr size_t kMostResampled = 3;  // Axes that change.

// An axis along which elements are not simply those of x.
struct ResampledAxis {
  size_t axis;
  int64_t taps = 1;    // Of every output; those there are not have no weight.
  int64_t offset = 0;  // Among the tables of all axes.
  bool outside = false;
};

struct ResampleTables {
  std::vector<ResampledAxis> axes;
  std::vector<int32_t> indices;  // -1: the output lies outside.
  std::vector<float> weights;
};

void add_axis(size_t axis, const ResizeTable& table, ResampleTables& tables) {
  ResampledAxis added{.axis = axis, .offset = static_cast<int64_t>(tables.indices.size())};
  const size_t outputs = table.first.size() - 1;
  for (size_t i = 0; i < outputs; ++i) {
    added.taps = std::max(added.taps, static_cast<int64_t>(table.first[i + 1] - table.first[i]));
  }
  for (size_t i = 0; i < outputs; ++i) {
    added.outside = added.outside || table.outside[i];
    for (size_t t = 0; t < static_cast<size_t>(added.taps); ++t) {
      const size_t at = table.first[i] + t;
      const bool there = at < table.first[i + 1];
      const int32_t index = there ? static_cast<int32_t>(table.taps[at].index) : 0;
      tables.indices.push_back(table.outside[i] ? -1 : index);
      tables.weights.push_back(there ? static_cast<float>(table.taps[at].weight) : 0.0f);
    }
  }
  tables.axes.push_back(added);
}

std::optional<ResampleTables> tables_of(const ResizePlan& plan) {
  ResampleTables tables;
  for (size_t i = 0; i < plan.axes.size(); ++i) {
    const ResizeTable table = resize_table(plan.axes[i], plan.mode);
    if (!table.identity(plan.axes[i])) add_axis(i, table, tables);
  }
  if (tables.axes.size() > kMostResampled) return std::nullopt;
  if (tables.indices.empty()) {
    tables.indices.push_back(0);
    tables.weights.push_back(0);
  }
  return tables;
}

// Loops over the taps of every axis that changes, with the weight `w` and address `a` of an element
// of x inside them.
std::string taps_text(const ResampleTables& tables, const Ints& strides, bool weighted) {
  std::string begin = "    i64 a0 = at;\n    float w0 = 1.0f;\n";
  std::string end;
  size_t depth = 0;
  for (const ResampledAxis& axis : tables.axes) {
    const std::string place = str(axis.offset, " + c", axis.axis, " * ", axis.taps, " + t", depth);
    begin += str("    for (int t", depth, " = 0; t", depth, " < ", axis.taps, "; ++t", depth,
                 ") {\n    const i64 a", depth + 1, " = a", depth, " + (i64)indices[", place,
                 "] * ", strides[axis.axis], ";\n    const float w", depth + 1, " = w", depth,
                 weighted ? str(" * weights[", place, "]") : "", ";\n");
    end += "    }\n";
    ++depth;
  }
  return str(begin, "    const Pack<T, VEC> from = *(const Pack<T, VEC>*)(x + a", depth,
             ");\n#pragma unroll\n    for (int j = 0; j < VEC; ++j) sums[j] += w", depth,
             " * to_float(from.at[j]);\n", end);
}

std::string outside_text(const ResampleTables& tables) {
  std::string text = "false";
  for (const ResampledAxis& axis : tables.axes) {
    if (!axis.outside) continue;
    text += str(" || indices[", axis.offset, " + c", axis.axis, " * ", axis.taps, "] < 0");
  }
  return text;
}

// Elements of x that no table is needed for; the last axis may be read in packs if it is among them.
struct ResamplePlace {
  Ints plain;  // Strides of x, 0 along axes that change.
  int64_t vec = 1;
};

ResamplePlace place_of(const ResampleTables& tables, const TensorType& x, const TensorType& y) {
  ResamplePlace place{.plain = dense_strides(x.shape)};
  for (const ResampledAxis& axis : tables.axes) place.plain[axis.axis] = 0;
  if (place.plain.back() == 1) place.vec = pack_of(x.dtype, std::array{y.shape.back()});
  return place;
}

std::string resample_text(const ResampleTables& tables, const TensorType& x, const TensorType& y,
                          const ResamplePlace& place, float around, bool weighted) {
  return str("extern \"C\" __global__ void __launch_bounds__(", kResampleBlock,
             ") resample(const T* x, const int* indices, const float* weights, T* y, u64* began) "
             "{\n  wait_for_earlier(began);\n  const int i = (int)(blockIdx.x * ",
             kResampleBlock, " + threadIdx.x) * VEC;\n  if (i >= ", y.elements(), ") return;\n",
             coordinates_text(y.shape), "  float sums[VEC] = {};\n  if (", outside_text(tables),
             ") {\n#pragma unroll\n    for (int j = 0; j < VEC; ++j) sums[j] = ", literal(around),
             ";\n  } else {\n    const i64 at = ", address_text(place.plain, 0), ";\n",
             taps_text(tables, dense_strides(x.shape), weighted),
             "  }\n  Pack<T, VEC> results;\n#pragma unroll\n  for (int j = 0; j < VEC; ++j) "
             "results.at[j] = from_float<T>(sums[j]);\n  *(Pack<T, VEC>*)(y + i) = results;\n}\n");
}

std::optional<ResizePlan> plan_of(const Node& node) {
  const Tensor* given[3] = {};
  for (size_t i = 1; i < node.inputs.size() && i <= 3; ++i) {
    if (node.inputs[i] == nullptr) continue;
    if (!node.inputs[i]->constant) return std::nullopt;
    given[i - 1] = &*node.inputs[i]->constant;
  }
  const NodeContext context(*find_op(node.op), node);
  const auto plan = resize_plan(context, node.inputs[0]->type.tensor.shape,
                                {.roi = given[0], .scales = given[1], .sizes = given[2]});
  return plan.ok() ? std::optional(*plan) : std::nullopt;
}

std::optional<Step> lower_resample(const Node& node, StepBuilder& builder) {
  const TensorType& x = node.inputs[0]->type.tensor;
  const TensorType& y = node.outputs[0]->type.tensor;
  if (!is_float_tensor(node.inputs[0], builder) || !is_float_tensor(node.outputs[0], builder) ||
      x.rank() == 0) {
    return std::nullopt;
  }
  const auto plan = plan_of(node);
  if (!plan) return std::nullopt;
  const auto tables = tables_of(*plan);
  if (!tables) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const ResamplePlace place = place_of(*tables, x, y);
  SourceMaker source;
  source.element(x.dtype).define("VEC", place.vec);
  const bool weighted = plan->mode.kind != ResizeMode::Kind::Nearest;
  const std::string text = resample_text(
      *tables, x, y, place, static_cast<float>(context.real("extrapolation_value")), weighted);
  const auto count = static_cast<int64_t>(tables->indices.size());
  const Slot from = builder.read(node.inputs[0]);
  const Slot indices = builder.packed(Tensor::of<int32_t>({count}, tables->indices));
  const Slot weights = builder.packed(Tensor::of<float>({count}, tables->weights));
  const Slot to = builder.write(node.outputs[0]);
  Step step{.kind = kind_of_step(StepFamily::Resize, "resample", node)};
  step.variants.push_back(simple_variant(source.make_of(text, "resample", "resample"),
                                         y.elements() / place.vec, kResampleBlock,
                                         {from, indices, weights, to}));
  step.variants[0].name.clear();
  return step;
}

}  // namespace

extern const LoweringDef lower_resampled = {.op = "resize", .lower = lower_resample};

}  // namespace hone::cuda
