#include "hone/targets/cuda/plain_products.h"

#include <algorithm>

#include "hone/passes/match.h"
#include "hone/targets/cuda/float_tensor.h"

namespace hone::cuda {
namespace {

constexpr std::string_view kPlainProducts = "plain_products";

bool is_plain_float(const Value* value) {
  if (value == nullptr || !value->type.is_tensor()) return false;
  const TensorType& type = value->type.tensor;
  const bool floats =
      type.dtype == DType::F32 || type.dtype == DType::F16 || type.dtype == DType::BF16;
  return floats && type.known() && !type.quantized() && type.elements() > 0;
}

// Adds nodes in front of one, for it.
class InFront {
 public:
  InFront(Graph& graph, Node& node) : graph_(graph), node_(node) {}

  Value* add(std::string_view op, std::vector<Value*> inputs, Attrs attrs = {}) {
    Node* made = add_inferred(graph_, op, std::move(inputs), std::move(attrs),
                              str(node_.name, ".", op, count_++), &node_);
    graph_.inherit_origins(made, node_);
    return made->outputs[0];
  }
  Value* reshaped(Value* value, const Shape& shape) {
    if (value->type.tensor.shape == shape) return value;
    return add("reshape", {value, extents(shape)}, reshape_attrs(shape));
  }
  Value* expanded(Value* value, const Shape& shape) {
    if (value->type.tensor.shape == shape) return value;
    return add("expand", {value, extents(shape)});
  }

 private:
  Value* extents(const Shape& shape) {
    return graph_.add_constant(str(node_.name, ".extents", count_++), Tensor::of_ints(shape));
  }

  Graph& graph_;
  Node& node_;
  int count_ = 0;
};

Shape batch_of(const Shape& matrices) {
  return {matrices.begin(), matrices.end() - 2};
}

Shape broadcast_batch(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (const Shape* shape : {&a, &b}) {
    const size_t skip = result.size() - shape->size();
    for (size_t i = 0; i < shape->size(); ++i) {
      result[skip + i] = std::max(result[skip + i], (*shape)[i]);
    }
  }
  return result;
}

Shape with_matrix(Shape batch, const Shape& matrices) {
  batch.insert(batch.end(), matrices.end() - 2, matrices.end());
  return batch;
}

bool make_plain_matmul(Graph& graph, Node& node) {
  Shape a = node.inputs[0]->type.tensor.shape;
  Shape b = node.inputs[1]->type.tensor.shape;
  if (a.empty() || b.empty()) return false;
  const bool vectors = a.size() == 1 || b.size() == 1;
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  const Shape batch = broadcast_batch(batch_of(a), batch_of(b));
  const bool one_matrix = b.size() == 2 || (elements(batch_of(b)) == 1 && a.size() >= b.size());
  if (!vectors && (b.size() == 2 || batch_of(a) == batch_of(b))) return false;
  InFront front(graph, node);
  Value* left = front.reshaped(node.inputs[0], a);
  Value* right = front.reshaped(node.inputs[1], b);
  if (one_matrix) {
    right = front.reshaped(right, {b[b.size() - 2], b.back()});
  } else {
    left = front.expanded(left, with_matrix(batch, a));
    right = front.expanded(right, with_matrix(batch, b));
  }
  Value* product = front.add("matmul", {left, right});
  Value* y = front.reshaped(product, node.outputs[0]->type.tensor.shape);
  take_place(graph, {&node}, y->producer, node.outputs[0], kPlainProducts);
  return true;
}

// One number for each column, known before the run.
bool adds_columns(const Node& gemm, const Value& bias) {
  const TensorType& type = bias.type.tensor;
  const int64_t columns = gemm.outputs[0]->type.tensor.shape[1];
  return bias.constant && type.elements() == columns &&
         (type.rank() == 0 || type.shape.back() == columns);
}

Value* number_for(Graph& graph, const Node& node, double value) {
  return graph.add_constant(str(node.name, ".beta"), floats_of(node.inputs[0]->type.tensor.dtype,
                                                               {}, {static_cast<float>(value)}));
}

// What is added becomes a node of its own, unless something else is fused into the product.
bool take_sum_out(Graph& graph, Node& node) {
  Value* bias = input_of(node, 2);
  const auto beta = attr_of<double>(node, "beta");
  if (bias == nullptr || (beta == 1 && adds_columns(node, *bias))) return false;
  if (activated(node) || input_of(node, 3) != nullptr || !is_plain_float(bias)) return false;
  InFront front(graph, node);
  Attrs attrs = node.attrs;
  attrs["beta"] = 1.0;
  Value* product = front.add("gemm", {node.inputs[0], node.inputs[1]}, attrs);
  if (beta != 1) bias = front.add("mul", {bias, number_for(graph, node, beta)});
  Value* sum = front.add("add", {product, bias});
  take_place(graph, {&node}, sum->producer, node.outputs[0], kPlainProducts);
  return true;
}

bool make_plain_gemm(Graph& graph, Node& node) {
  bool changed = false;
  if (attr_of<int64_t>(node, "transA") != 0) {
    InFront front(graph, node);
    graph.set_input(&node, 0, front.add("transpose", {node.inputs[0]}, {{"perm", Ints{1, 0}}}));
    node.attrs["transA"] = int64_t{0};
    changed = true;
  }
  return take_sum_out(graph, node) || changed;
}

}  // namespace

int plain_products(Graph& graph) {
  int count = 0;
  for (Node* node : graph.nodes()) {
    if (node->op != "matmul" && node->op != "gemm") continue;
    if (!is_plain_float(node->inputs[0]) || !is_plain_float(node->inputs[1]) ||
        !is_plain_float(node->outputs[0])) {
      continue;
    }
    const bool changed =
        node->op == "matmul" ? make_plain_matmul(graph, *node) : make_plain_gemm(graph, *node);
    count += changed ? 1 : 0;
  }
  return count;
}

}  // namespace hone::cuda
