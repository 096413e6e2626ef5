// Makes GELU as exporters write it one operator.
//
//   0.5 * x * (1 + erf(x / sqrt(2)))                                    =>   gelu(x)
//   0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))           =>   gelu(x) by tanh
//
// Products are compared as sets of factors, so any order of the factors, division for product,
// x * x * x for pow and x * (1 + 0.044715 * x^2) for the inner sum are all found. Leaves alone what
// has other readers in between.

#include <algorithm>
#include <cmath>

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr std::string_view kFuseGeluPass = "fuse_gelu";

// A product as its constant and its other factors, and the nodes that multiply.
struct Product {
  double constant = 1;
  std::vector<const Value*> factors = {};
  std::vector<Node*> nodes = {};
};

bool about(double a, double b) {
  return std::abs(a - b) <= 1e-5 * std::abs(b);
}

bool multiplies(const Graph& graph, const Value* value, const Node* last) {
  const Node* node = value->producer;
  if (node == nullptr || (node != last && !read_once(graph, *value))) return false;
  if (node->op != "mul" && node->op != "div" && node->op != "pow") return false;
  return !activated(*node);
}

// Multiplies `value` to `power` into the product. `last` is taken apart even if it has many
// readers.
void multiply(const Graph& graph, const Value* value, Product& product, const Node* last) {
  if (const auto number = number_of(value)) {
    product.constant *= *number;
    return;
  }
  if (!multiplies(graph, value, last)) {
    product.factors.push_back(value);
    return;
  }
  Node* node = value->producer;
  const auto second = number_of(node->inputs[1]);
  if (node->op == "div" && second) {
    product.constant /= *second;
    multiply(graph, node->inputs[0], product, nullptr);
  } else if (node->op == "pow" && second && (*second == 2 || *second == 3)) {
    for (int i = 0; i < *second; ++i) product.factors.push_back(node->inputs[0]);
  } else if (node->op == "mul") {
    for (const Value* factor : node->inputs) multiply(graph, factor, product, nullptr);
  } else {
    product.factors.push_back(value);
    return;
  }
  product.nodes.push_back(node);
}

Product product_of(const Graph& graph, const Value* value, const Node* last = nullptr) {
  Product product;
  multiply(graph, value, product, last);
  return product;
}

// constant * x^power.
bool is_power(const Product& product, const Value* x, size_t power, double constant) {
  return about(product.constant, constant) && product.factors.size() == power &&
         std::ranges::count(product.factors, x) == static_cast<std::ptrdiff_t>(power);
}

void append(std::vector<Node*>& nodes, const std::vector<Node*>& more) {
  nodes.insert(nodes.end(), more.begin(), more.end());
}

// The nodes of x + 0.044715 * x^3, or with `divided`, of 1 + 0.044715 * x^2.
std::optional<std::vector<Node*>> cubic(const Graph& graph, const Value* value, const Value* x,
                                        bool divided) {
  Node* add = made_for(graph, value, "add");
  if (add == nullptr) return {};
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const bool first = divided ? is_number(add->inputs[i], 1) : add->inputs[i] == x;
    const Product rest = product_of(graph, add->inputs[1 - i]);
    if (!first || !is_power(rest, x, divided ? 2 : 3, 0.044715)) continue;
    std::vector<Node*> nodes = rest.nodes;
    nodes.push_back(add);
    return nodes;
  }
  return {};
}

// The nodes of sqrt(2 / pi) * (x + 0.044715 * x^3).
std::optional<std::vector<Node*>> tanh_argument(const Graph& graph, const Value* value,
                                                const Value* x) {
  const Product product = product_of(graph, value);
  if (!about(product.constant, std::sqrt(2 / M_PI))) return {};
  const bool divided = product.factors.size() == 2;
  for (const Value* factor : product.factors) {
    if (divided && (factor == x || std::ranges::count(product.factors, x) != 1)) continue;
    auto nodes = cubic(graph, factor, x, divided);
    if (!nodes || product.factors.size() > 2) continue;
    append(*nodes, product.nodes);
    return nodes;
  }
  return {};
}

struct Gelu {
  const Value* x;
  bool by_tanh;
  std::vector<Node*> nodes;
};

// 1 + erf(...) or 1 + tanh(...) of the right argument.
std::optional<Gelu> gate_of(const Graph& graph, const Value* gate, const Value* x) {
  Node* add = made_for(graph, gate, "add");
  if (add == nullptr) return {};
  const size_t i = is_number(add->inputs[0], 1) ? 1 : 0;
  if (!is_number(add->inputs[1 - i], 1)) return {};
  if (Node* erf = made_for(graph, add->inputs[i], "erf")) {
    Product argument = product_of(graph, erf->inputs[0]);
    if (!is_power(argument, x, 1, M_SQRT1_2)) return {};
    append(argument.nodes, {erf, add});
    return Gelu{x, false, std::move(argument.nodes)};
  }
  Node* tanh = made_for(graph, add->inputs[i], "tanh");
  auto nodes = tanh == nullptr ? std::nullopt : tanh_argument(graph, tanh->inputs[0], x);
  if (!nodes) return {};
  append(*nodes, {tanh, add});
  return Gelu{x, true, *std::move(nodes)};
}

std::optional<Gelu> gelu_at(const Graph& graph, const Node& node) {
  const Product product = product_of(graph, node.outputs[0], &node);
  if (!about(product.constant, 0.5) || product.factors.size() != 2) return {};
  for (const size_t i : {size_t{0}, size_t{1}}) {
    auto gelu = gate_of(graph, product.factors[i], product.factors[1 - i]);
    if (!gelu || !same_shape(*gelu->x, *node.outputs[0])) continue;
    append(gelu->nodes, product.nodes);
    return gelu;
  }
  return {};
}

// The nodes of the match in running order.
std::vector<Node*> in_order(const Graph& graph, const std::vector<Node*>& nodes) {
  std::vector<Node*> ordered;
  for (Node* node : graph.nodes()) {
    if (std::ranges::find(nodes, node) != nodes.end()) ordered.push_back(node);
  }
  return ordered;
}

int run_fuse_gelu(Graph& graph) {
  int fused = 0;
  for (Node* node : graph.nodes()) {
    if ((node->op != "mul" && node->op != "div") || !makes_floats(*node)) continue;
    const auto gelu = gelu_at(graph, *node);
    if (!gelu) continue;
    Attrs attrs;
    if (gelu->by_tanh) attrs["approximate"] = std::string("tanh");
    Node* by = add_inferred(graph, "gelu", {const_cast<Value*>(gelu->x)}, std::move(attrs),
                            node->name, node);
    take_place(graph, in_order(graph, gelu->nodes), by, node->outputs[0], kFuseGeluPass);
    ++fused;
  }
  graph.remove_unused_constants();
  return fused;
}

}  // namespace

extern const PassDef pass_fuse_gelu = {
    .name = kFuseGeluPass,
    .summary = "Makes GELU as exporters write it, by erf or by tanh, one operator.",
    .stage = PassStage::Engine,
    .run = run_fuse_gelu,
};

}  // namespace hone
