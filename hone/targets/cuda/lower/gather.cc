// Elements at places that a run computes, or that follow no simple rule. Where a place is outside,
// which the reference refuses, the elements are zeros.

#include "hone/ops/op_def.h"
#include "hone/targets/cuda/strided.h"

namespace hone::cuda {
namespace {

constexpr unsigned kGatherBlock = 256;

bool is_movable(const Value* value, const StepBuilder& builder) {
  if (value == nullptr || !builder.planned(value)) return false;
  const TensorType& type = value->type.tensor;
  return bits_of(type.dtype) >= 8 && type.elements() > 0 && type.elements() <= kMostElements;
}

bool can_gather(const Node& node, const StepBuilder& builder) {
  return is_movable(node.inputs[0], builder) && is_movable(node.inputs[1], builder) &&
         is_movable(node.outputs[0], builder) && node.inputs[0]->type.tensor.rank() > 0;
}

size_t gather_axis(const Node& node) {
  const int64_t axis = NodeContext(*find_op(node.op), node).integer("axis");
  const int64_t rank = node.inputs[0]->type.tensor.rank();
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

int64_t word_bytes(const Value* value) {
  return bits_of(value->type.tensor.dtype) / 8;
}

// `index` and `base`: C for the number of the index of element i, and for where it counts from.
Step gather_step(const Node& node, int64_t vec, int64_t extent, int64_t stride,
                 const std::string& coordinates, const std::string& index, const std::string& base,
                 StepBuilder& builder) {
  const int64_t all = node.outputs[0]->type.tensor.elements();
  SourceMaker source;
  source.define("T", word_name(static_cast<size_t>(word_bytes(node.inputs[0]))));
  source.define("INDEX", node.inputs[1]->type.tensor.dtype == DType::I32 ? "int" : "i64");
  source.define("VEC", vec);
  const std::string text =
      str("extern \"C\" __global__ void __launch_bounds__(", kGatherBlock,
          ") gather(const T* x, const INDEX* indices, T* y, u64* began) {\n"
          "  wait_for_earlier(began);\n  const int i = (int)(blockIdx.x * ",
          kGatherBlock, " + threadIdx.x) * VEC;\n  if (i >= ", all, ") return;\n", coordinates,
          "  i64 place = indices[", index, "];\n  if (place < 0) place += ", extent,
          ";\n  Pack<T, VEC> values = {};\n  if (place >= 0 && place < ", extent,
          ") values = *(const Pack<T, VEC>*)(x + ", base, " + place * ", stride,
          ");\n  *(Pack<T, VEC>*)(y + i) = values;\n}\n");
  const Slot x = builder.read(node.inputs[0]);
  const Slot indices = builder.read(node.inputs[1]);
  const Slot y = builder.write(node.outputs[0]);
  Step step{.kind = kind_of_step(StepFamily::Movement, "gather", node)};
  step.variants.push_back(simple_variant(source.make_of(text, "gather", "gather"), all / vec,
                                         kGatherBlock, {x, indices, y}));
  step.variants[0].name.clear();
  return step;
}

// y as [outer][index][inner].
std::optional<Step> lower_gathered(const Node& node, StepBuilder& builder) {
  if (!can_gather(node, builder)) return std::nullopt;
  const Shape& x = node.inputs[0]->type.tensor.shape;
  const size_t axis = gather_axis(node);
  const int64_t inner = dense_strides(x)[axis];
  const int64_t count = node.inputs[1]->type.tensor.elements();
  const int64_t outer = node.outputs[0]->type.tensor.elements() / (inner * count);
  const int64_t vec = pack_of(node.inputs[0]->type.tensor.dtype, std::array{inner});
  return gather_step(node, vec, x[axis], inner, coordinates_text({outer, count, inner}), "c1",
                     str("(i64)c0 * ", x[axis] * inner, " + c2"), builder);
}

// An index for every element of y, whose other coordinates are those of x.
std::optional<Step> lower_gathered_elements(const Node& node, StepBuilder& builder) {
  if (!can_gather(node, builder)) return std::nullopt;
  const Shape& x = node.inputs[0]->type.tensor.shape;
  const size_t axis = gather_axis(node);
  Ints strides = dense_strides(x);
  const int64_t stride = strides[axis];
  strides[axis] = 0;
  return gather_step(node, 1, x[axis], stride, coordinates_text(node.outputs[0]->type.tensor.shape),
                     "i", address_text(strides, 0), builder);
}

}  // namespace

extern const LoweringDef lower_any_gather = {.op = "gather", .lower = lower_gathered};
extern const LoweringDef lower_gather_elements = {.op = "gather_elements",
                                                  .lower = lower_gathered_elements};

}  // namespace hone::cuda
