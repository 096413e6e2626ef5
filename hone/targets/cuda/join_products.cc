#include "hone/targets/cuda/join_products.h"

#include <algorithm>
#include <cstring>

#include "hone/passes/match.h"

namespace hone::cuda {
namespace {

constexpr std::string_view kJoinProducts = "join_products";

// What the value is a view of.
const Value* behind_views(const Value* value) {
  while (value->producer != nullptr && value->producer->op == "reshape") {
    value = value->producer->inputs[0];
  }
  return value;
}

// A product with constant weights, and nothing fused into it but a bias for each column.
bool is_plain(const Node& gemm) {
  const Tensor* weights = constant_of(gemm, 1);
  if (weights == nullptr || weights->type().rank() != 2 || input_of(gemm, 3) != nullptr) {
    return false;
  }
  const int64_t columns = weights->type().shape[attr_of<int64_t>(gemm, "transB") != 0 ? 0 : 1];
  const Tensor* bias = constant_of(gemm, 2);
  const bool fits_bias = input_of(gemm, 2) == nullptr ||
                         (bias != nullptr && bias->elements() == columns && columns % 8 == 0);
  return fits_bias && !activated(gemm) && attr_of<double>(gemm, "alpha") == 1 &&
         attr_of<double>(gemm, "beta") == 1 && attr_of<int64_t>(gemm, "transA") == 0;
}

// The product that makes the value, when nobody else reads it or a view on the way.
Node* product_for(const Graph& graph, const Value* value) {
  while (Node* view = made_for(graph, value, "reshape")) value = view->inputs[0];
  Node* product = made_for(graph, value, "gemm");
  return product != nullptr && is_plain(*product) ? product : nullptr;
}

bool can_join(const Node& a, const Node& b) {
  const Tensor& one = *a.inputs[1]->constant;
  const Tensor& other = *b.inputs[1]->constant;
  const bool transposed = attr_of<int64_t>(a, "transB") != 0;
  const size_t depth = transposed ? 1 : 0;
  return &a != &b && behind_views(a.inputs[0]) == behind_views(b.inputs[0]) &&
         a.inputs[0]->type.tensor == b.inputs[0]->type.tensor && one.dtype() == other.dtype() &&
         one.type().shape[depth] == other.type().shape[depth] &&
         transposed == (attr_of<int64_t>(b, "transB") != 0) &&
         (input_of(a, 2) == nullptr) == (input_of(b, 2) == nullptr) &&
         (input_of(a, 2) == nullptr ||
          a.inputs[2]->type.tensor.dtype == b.inputs[2]->type.tensor.dtype);
}

// Side by side: rows of one behind rows of the other.
Tensor side_by_side(const std::vector<const Tensor*>& parts, int64_t rows) {
  int64_t columns = 0;
  for (const Tensor* part : parts) columns += part->elements() / rows;
  Tensor joined(TensorType{parts[0]->dtype(), {rows, columns}});
  std::byte* to = joined.mutable_bytes().data();
  for (size_t row = 0; row < static_cast<size_t>(rows); ++row) {
    for (const Tensor* part : parts) {
      const size_t bytes = part->bytes().size() / static_cast<size_t>(rows);
      std::memcpy(to, part->bytes().data() + row * bytes, bytes);
      to += bytes;
    }
  }
  return joined;
}

// All inputs `input` of the products: along columns, or one behind the other.
Tensor joined_input(const std::vector<Node*>& products, size_t input, int64_t depth) {
  std::vector<const Tensor*> parts;
  for (const Node* product : products) parts.push_back(&*product->inputs[input]->constant);
  Tensor joined = side_by_side(parts, input == 1 ? depth : 1);
  if (input != 1) joined = joined.reshaped({joined.elements()});
  return joined;
}

int64_t columns_of(const Node& product) {
  return product.outputs[0]->type.tensor.shape[1];
}

// `products` in running order.
void join(Graph& graph, const std::vector<Node*>& products) {
  Node* first = products[0];
  const bool transposed = attr_of<int64_t>(*first, "transB") != 0;
  const Shape& weights = first->inputs[1]->type.tensor.shape;
  const int64_t depth = weights[transposed ? 1 : 0];
  // Transposed weights are rows for each column: one behind the other.
  Tensor all = joined_input(products, 1, transposed ? 1 : depth);
  if (transposed) all = all.reshaped({all.elements() / depth, depth});
  std::vector<Value*> inputs = {first->inputs[0],
                                graph.add_constant(first->name + ".joined", std::move(all))};
  if (input_of(*first, 2) != nullptr) {
    inputs.push_back(
        graph.add_constant(first->name + ".joined_bias", joined_input(products, 2, depth)));
  }
  Node* joined = add_inferred(graph, "gemm", inputs, first->attrs, first->name + ".joined", first);
  int64_t begin = 0;
  for (Node* product : products) {
    const int64_t end = begin + columns_of(*product);
    const auto constant = [&](const char* what, int64_t number) {
      return graph.add_constant(str(product->name, ".", what), Tensor::of_ints({number}));
    };
    Node* slice = add_inferred(
        graph, "slice",
        {joined->outputs[0], constant("begin", begin), constant("end", end), constant("axis", 1)},
        {}, product->name, product);
    graph.inherit_origins(joined, *product);
    take_place(graph, {product}, slice, product->outputs[0], kJoinProducts);
    begin = end;
  }
}

// Those of the attention's three inputs that can be joined with the first that can be with any.
std::vector<Node*> joinable(const Graph& graph, const Node& attention) {
  std::vector<Node*> products;
  for (size_t i = 0; i < 3; ++i) {
    if (Node* product = product_for(graph, attention.inputs[i])) products.push_back(product);
  }
  for (const Node* one : products) {
    std::vector<Node*> group;
    for (Node* other : products) {
      if (other == one || can_join(*one, *other)) group.push_back(other);
    }
    if (group.size() < 2) continue;
    std::ranges::sort(group,
                      [&](const Node* a, const Node* b) { return graph.runs_before(*a, *b); });
    return group;
  }
  return {};
}

}  // namespace

int join_products(Graph& graph) {
  int count = 0;
  for (Node* node : graph.nodes()) {
    if (node->op != "attention" || node->inputs.size() < 3) continue;
    const std::vector<Node*> products = joinable(graph, *node);
    if (products.empty()) continue;
    join(graph, products);
    count += static_cast<int>(products.size());
  }
  return count;
}

}  // namespace hone::cuda
