#include "hone/targets/cuda/concat_parts.h"

#include "hone/ops/op_def.h"
#include "hone/targets/common/prepare_graph.h"
#include "hone/targets/cuda/lowering.h"
#include "hone/targets/cuda/map.h"

namespace hone::cuda {
namespace {

// Kernels store up to eight elements at once where rows are whole multiples of them. Those of
// element-wise nodes look at where a row begins, too.
constexpr int64_t kStoredAtOnce = 8;

// Whether the node becomes a step of the GPU that can leave room between its rows.
bool writes_rows(const Node& node, const StepBuilder& builder) {
  if (node.outputs.size() != 1) return false;
  if (is_map(node, builder)) return true;
  // Products read what they add with the pitch that they write with.
  if (node.op == "conv") return input_of(node, 3) == nullptr && takes_conv(node, builder);
  if (node.op == "gemm") return input_of(node, 3) == nullptr && takes_gemm(node, builder);
  if (node.op == "max_pool" || node.op == "average_pool") return takes_pool(node, builder);
  if (node.op == "resize") return takes_repeats(node, builder);
  return false;
}

class PartFinder {
 public:
  PartFinder(const Graph& graph, const StepBuilder& builder) : graph_(graph), builder_(builder) {}

  ConcatParts find() {
    for (const Node* node : graph_.nodes()) {
      if (node->op == "concat" && takes_concat(*node, builder_)) add(*node);
    }
    return std::move(found_);
  }

 private:
  void add(const Node& concat) {
    const TensorType& y = concat.outputs[0]->type.tensor;
    const int64_t axis = NodeContext(*find_op(concat.op), concat).integer("axis");
    const auto at = static_cast<size_t>(axis < 0 ? axis + y.rank() : axis);
    int64_t inner = 1;
    for (size_t i = at + 1; i < y.shape.size(); ++i) inner *= y.shape[i];
    const int64_t outer = y.elements() / (y.shape[at] * inner);
    int64_t offset = 0;
    for (const Value* input : concat.inputs) {
      const int64_t row = input->type.tensor.shape[at] * inner;
      const Value* made = made_for_concat(input, outer == 1 ? 0 : row);
      const PartOf part{concat.outputs[0], offset, y.shape[at] * inner};
      found_.in_place[input] = made != nullptr && place(*made, part, outer == 1);
      offset += row;
    }
  }

  // What the node made that the input is a view of, when nobody else reads either; of rows of so
  // many elements, if their number counts.
  const Value* made_for_concat(const Value* value, int64_t row) const {
    while (true) {
      const bool once = value->users.size() == 1 && !graph_.is_output(value);
      if (!once || value->constant || value->producer == nullptr) return nullptr;
      const Shape& shape = value->type.tensor.shape;
      if (row > 0 && (shape.empty() || shape.back() != row)) return nullptr;
      if (!is_view(*value->producer)) return value;
      value = value->producer->inputs[0];
    }
  }

  bool place(const Value& made, PartOf part, bool dense) {
    const TensorType& type = made.type.tensor;
    if (dense) part.pitch = type.shape.empty() ? 1 : type.shape.back();
    const bool aligned =
        is_map(*made.producer, builder_) ||
        (part.offset % kStoredAtOnce == 0 && (dense || part.pitch % kStoredAtOnce == 0));
    if (!aligned || type.elements() == 0 || !writes_rows(*made.producer, builder_)) return false;
    found_.parts[&made] = part;
    return true;
  }

  const Graph& graph_;
  const StepBuilder& builder_;
  ConcatParts found_;
};

}  // namespace

ConcatParts find_concat_parts(const Graph& graph, const StepBuilder& builder) {
  return PartFinder(graph, builder).find();
}

}  // namespace hone::cuda
