// A product with a constant matrix becomes a dense layer, which has a bias and can take more in.
//
//   %m: f32[1,8,4] = matmul(%x, w: f32[6,4])          %a: f32[8,6] = reshape(%x, ...)
//   %y: f32[1,8,4] = add(%m, b: f32[4])          =>   %g: f32[8,4] = gemm(%a, w, b)
//                                                     %y: f32[1,8,4] = reshape(%g, ...)
//
// Without the reshapes when %x is a matrix, and without the bias when nothing is added or what is
// added is no constant per column. Leaves products of computed matrices alone.

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr std::string_view kMakeGemmPass = "make_gemm";

bool dense(const Node& node) {
  if (node.op != "matmul" || !makes_floats(node)) return false;
  const Tensor* weight = constant_of(node, 1);
  const TensorType& x = node.inputs[0]->type.tensor;
  return weight != nullptr && weight->rank() == 2 && x.known() && x.rank() >= 2;
}

// The add of a constant per column that alone reads the product, or null.
Node* bias_after(const Graph& graph, const Node& product) {
  const Value* y = product.outputs[0];
  if (!read_once(graph, *y)) return nullptr;
  const Use use = y->users[0];
  if (use.node->op != "add") return nullptr;
  const Tensor* bias = constant_of(*use.node, 1 - use.input);
  const bool columns =
      bias != nullptr && bias->rank() == 1 && bias->shape()[0] == y->type.tensor.shape.back();
  return columns && use.node->outputs[0]->type == y->type ? use.node : nullptr;
}

Node* add_reshape(Graph& graph, Value* x, const Shape& shape, const Node& like, Node* before) {
  Value* extents = graph.add_constant(like.name + ".shape", Tensor::of_ints(shape));
  return add_inferred(graph, "reshape", {x, extents}, reshape_attrs(shape), like.name, before);
}

void make(Graph& graph, Node& product) {
  Node* bias = bias_after(graph, product);
  Node& last = bias == nullptr ? product : *bias;
  Value* x = product.inputs[0];
  const Shape shape = last.outputs[0]->type.tensor.shape;
  const int64_t depth = x->type.tensor.shape.back();
  std::vector<Node*> made;
  if (shape.size() > 2) {
    const int64_t rows = elements(std::span(shape).first(shape.size() - 1));
    made.push_back(add_reshape(graph, x, {rows, depth}, product, &last));
    x = made.back()->outputs[0];
  }
  std::vector<Value*> inputs = {x, product.inputs[1]};
  if (bias != nullptr)
    inputs.push_back(bias->inputs[bias->inputs[0] == product.outputs[0] ? 1 : 0]);
  made.push_back(add_inferred(graph, "gemm", std::move(inputs), last.attrs, product.name, &last));
  if (shape.size() > 2) {
    made.push_back(add_reshape(graph, made.back()->outputs[0], shape, product, &last));
  }
  for (Node* node : made) graph.inherit_origins(node, product);
  std::vector<Node*> old = {&product};
  if (bias != nullptr) {
    old.push_back(bias);
    for (Node* node : made) graph.inherit_origins(node, *bias);
  }
  take_place(graph, old, made.back(), last.outputs[0], kMakeGemmPass);
}

int run_make_gemm(Graph& graph) {
  int made = 0;
  std::vector<Node*> products;
  for (Node* node : graph.nodes()) {
    if (dense(*node)) products.push_back(node);
  }
  for (Node* product : products) {
    make(graph, *product);
    ++made;
  }
  return made;
}

}  // namespace

extern const PassDef pass_make_gemm = {
    .name = kMakeGemmPass,
    .summary = "Makes products with constant matrices, and the bias after them, dense layers.",
    .stage = PassStage::Engine,
    .run = run_make_gemm,
};

}  // namespace hone
