// Products and sums with constants, one behind the other, are one product and one sum:
//
//   %a = mul(%x, p)     %b = add(%a, q)     %c = mul(%b, r)     %y = add(%c, s)
//     =>   %m = mul(%x, p * r)     %y = add(%m, q * r + s)

#include "hone/analyze/remedy_def.h"
#include "hone/passes/match.h"

namespace hone {
namespace {

constexpr std::string_view kMergeScalesRemedy = "merge_scales";

// x * scale + shift, both of the elements of `shape`.
struct Affine {
  Shape shape;
  std::vector<double> scale;
  std::vector<double> shift;
};

struct Link {
  Node* node;
  Value* x;             // What it scales or shifts,
  const Tensor* other;  // and by how much.
};

std::optional<Link> link_of(Node* node) {
  const bool turns = node->op == "add" || node->op == "mul";
  if (!turns && node->op != "sub" && node->op != "div") return {};
  for (const size_t by : {1, 0}) {
    const Tensor* other = constant_of(*node, by);
    if (other == nullptr || other->dtype() != DType::F32 || (by == 0 && !turns)) continue;
    if (!makes_floats(*node) ||
        node->inputs[1 - by]->type.tensor != node->outputs[0]->type.tensor) {
      return {};
    }
    return Link{node, node->inputs[1 - by], other};
  }
  return {};
}

// The links that end in `last`, in running order.
std::vector<Link> chain_to(const Graph& graph, Node* last) {
  std::vector<Link> chain;
  for (std::optional<Link> link = link_of(last); link;) {
    chain.insert(chain.begin(), *link);
    Node* before = link->x->producer;
    if (before == nullptr || !read_once(graph, *link->x)) break;
    link = link_of(before);
  }
  return chain;
}

// False when two constants have different shapes, which only broadcasting could join.
bool join_affine(const Tensor& other, Affine& affine) {
  if (other.elements() == 1) return true;
  if (affine.scale.size() == 1) {
    affine.shape = other.shape();
    affine.scale.resize(static_cast<size_t>(other.elements()), affine.scale[0]);
    affine.shift.resize(static_cast<size_t>(other.elements()), affine.shift[0]);
  }
  return affine.shape == other.shape();
}

bool compose(const Link& link, Affine& affine) {
  if (!join_affine(*link.other, affine)) return false;
  const std::vector<double> values = to_doubles(*link.other);
  for (size_t i = 0; i < affine.scale.size(); ++i) {
    const double value = values[values.size() == 1 ? 0 : i];
    if (link.node->op == "add") affine.shift[i] += value;
    if (link.node->op == "sub") affine.shift[i] -= value;
    if (link.node->op == "mul" || link.node->op == "div") {
      const double factor = link.node->op == "mul" ? value : 1 / value;
      affine.scale[i] *= factor;
      affine.shift[i] *= factor;
    }
  }
  return true;
}

Tensor floats(const Shape& shape, const std::vector<double>& values) {
  return Tensor::of<float>(shape, std::vector<float>(values.begin(), values.end()));
}

bool merge(Graph& graph, Node* last) {
  const std::vector<Link> chain = chain_to(graph, last);
  if (chain.size() < 3) return false;
  Affine affine{{}, {1}, {0}};
  for (const Link& link : chain) {
    if (!compose(link, affine)) return false;
  }
  Value* scale = graph.add_constant(last->name + ".scale", floats(affine.shape, affine.scale));
  Value* shift = graph.add_constant(last->name + ".shift", floats(affine.shape, affine.shift));
  Node* mul = add_inferred(graph, "mul", {chain[0].x, scale}, {}, chain[0].node->name, last);
  Node* add = add_inferred(graph, "add", {mul->outputs[0], shift}, {}, last->name, last);
  std::vector<Node*> old;
  for (const Link& link : chain) {
    graph.inherit_origins(mul, *link.node);
    old.push_back(link.node);
  }
  take_place(graph, old, add, last->outputs[0], kMergeScalesRemedy);
  return true;
}

bool ends_chain(const Node& node) {
  for (const Use& use : node.outputs[0]->users) {
    if (link_of(use.node)) return false;
  }
  return link_of(const_cast<Node*>(&node)).has_value();
}

Result<bool> apply_merge_scales(const Prescription& model, const Finding*, std::string&) {
  bool changed = false;
  std::vector<Node*> ends;
  for (Node* node : model.graph->nodes()) {
    if (ends_chain(*node)) ends.push_back(node);
  }
  for (Node* node : ends) changed = merge(*model.graph, node) || changed;
  if (changed) model.graph->remove_unused_constants();
  return changed;
}

}  // namespace

extern const RemedyDef remedy_merge_scales = {
    .id = kMergeScalesRemedy,
    .summary = "Turns products and sums with constants in a row into one product and one sum.",
    .rules = {"elementwise_chain"},
    .apply = apply_merge_scales,
};

}  // namespace hone
