// Gradient: the derivatives of a scalar `y` with respect to `xs`, built at import by reverse-mode
// differentiation over the nodes that lead from xs and zs to y. Elementwise arithmetic without
// broadcasting only; anything else on the way is refused.

#include <algorithm>
#include <set>
#include <unordered_map>

#include "hone/ops/onnx_import.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

class Differentiation {
 public:
  // Differentiation stops at the node's inputs; the first `xs` are those to differentiate by.
  Differentiation(OnnxImport& in, size_t xs)
      : in_(in),
        leaves_(in.inputs.begin(), in.inputs.end()),
        xs_(in.inputs.begin(), in.inputs.begin() + static_cast<std::ptrdiff_t>(xs)) {}

  // The gradients of xs. Looks first whether all can be done, then adds nodes.
  Result<std::vector<Value*>> run(Value* y) {
    look_forward();
    HONE_RETURN_IF_ERROR(look_back(y));
    gradients_[y] = filled(types_.at(y), 1);
    for (const Node* node : path_) propagate(*node);
    std::vector<Value*> results;
    for (const Value* x : xs_) {
      const auto found = gradients_.find(x);
      Value* gradient = found == gradients_.end() ? filled(types_.at(x), 0) : found->second;
      // A value of its own, which takes the name of the node's output.
      results.push_back(add("identity", {gradient}));
    }
    return results;
  }

 private:
  Value* add(std::string_view op, std::vector<Value*> from) {
    return in_.add(op, std::move(from))->outputs[0];
  }

  Value* filled(const TensorType& type, float value) {
    Tensor tensor(type);
    if (type.dtype == DType::F64) {
      std::ranges::fill(tensor.mutable_data<double>(), value);
    } else {
      std::ranges::fill(tensor.mutable_data<float>(), value);
    }
    return in_.constant(std::move(tensor));
  }

  static bool is_differentiable(const Node& node) {
    constexpr std::string_view kBinary[] = {"add", "sub", "mul", "div"};
    constexpr std::string_view kUnary[] = {"neg", "identity", "exp", "log"};
    const bool binary = std::ranges::find(kBinary, node.op) != std::end(kBinary);
    const bool unary = std::ranges::find(kUnary, node.op) != std::end(kUnary);
    return (binary || unary) && node.inputs.size() == (binary ? 2u : 1u) && node.attrs.empty();
  }

  // Null when it is not known, or not a float type.
  const TensorType* type_of(const Value* value) {
    const auto known = types_.find(value);
    if (known != types_.end()) return &known->second;
    const TensorType& type = value == nullptr ? TensorType() : value->type.tensor;
    const bool real = type.dtype == DType::F32 || type.dtype == DType::F64;
    if (!real || !type.known() || !type.check().ok()) return nullptr;
    return &types_.emplace(value, type).first->second;
  }

  // Types are not inferred yet at import: where nothing broadcasts, they are those of the inputs.
  // Also finds what depends on xs.
  void look_forward() {
    active_.insert(xs_.begin(), xs_.end());
    for (const Node* node : in_.graph.nodes()) {
      if (!is_differentiable(*node) || leaves_.contains(node->outputs[0])) continue;
      const TensorType* type = type_of(node->inputs[0]);
      const TensorType* other = type_of(node->inputs.back());
      if (type == nullptr || other == nullptr || *type != *other) continue;
      types_.insert_or_assign(node->outputs[0], TensorType(*type));
      fits_.insert(node);
    }
    for (const Node* node : in_.graph.nodes()) {
      const bool depends = std::ranges::any_of(
          node->inputs, [&](const Value* input) { return active_.contains(input); });
      if (!depends) continue;
      for (const Value* output : node->outputs) {
        if (!leaves_.contains(output)) active_.insert(output);
      }
    }
  }

  // The nodes between y and xs, last first.
  Status look_back(const Value* y) {
    for (const Value* value : xs_) {
      if (type_of(value) == nullptr)
        return unsupported("'", value->name, "' is not of a known float type");
    }
    const TensorType* type = type_of(y);
    if (type == nullptr || type->elements() != 1) {
      return unsupported("'", y->name, "' is not known to be a scalar");
    }
    std::set<const Value*> reached{y};
    const std::vector<Node*> nodes = in_.graph.nodes();
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      const bool on_path = std::ranges::any_of((*node)->outputs, [&](const Value* output) {
        return reached.contains(output) && active_.contains(output) && !leaves_.contains(output);
      });
      if (!on_path) continue;
      if (!fits_.contains(*node)) {
        return unsupported("the derivative of ", (*node)->op, " in node '", (*node)->name,
                           "': only elementwise arithmetic on equal shapes");
      }
      reached.insert((*node)->inputs.begin(), (*node)->inputs.end());
      path_.push_back(*node);
    }
    return Done{};
  }

  void accumulate(const Value* value, Value* part) {
    const auto [place, fresh] = gradients_.try_emplace(value, part);
    if (!fresh) place->second = add("add", {place->second, part});
  }

  void propagate(const Node& node) {
    Value* g = gradients_.at(node.outputs[0]);
    Value* a = node.inputs[0];
    Value* b = node.inputs.back();
    if (active_.contains(a)) accumulate(a, by_first(node, g, a, b));
    if (node.inputs.size() == 2 && active_.contains(b)) accumulate(b, by_second(node, g, a, b));
  }

  // g times the derivative by the first input.
  Value* by_first(const Node& node, Value* g, Value* a, Value* b) {
    if (node.op == "mul") return add("mul", {g, b});
    if (node.op == "div") return add("div", {g, b});
    if (node.op == "neg") return add("neg", {g});
    if (node.op == "exp") return add("mul", {g, node.outputs[0]});
    if (node.op == "log") return add("div", {g, a});
    return g;  // add, sub, identity
  }

  Value* by_second(const Node& node, Value* g, Value* a, Value* b) {
    if (node.op == "mul") return add("mul", {g, a});
    if (node.op == "sub") return add("neg", {g});
    if (node.op == "div") {
      Value* quotient = add("div", {g, b});
      return add("neg", {add("mul", {quotient, node.outputs[0]})});
    }
    return g;  // add
  }

  OnnxImport& in_;
  std::set<const Value*> leaves_;
  std::vector<const Value*> xs_;
  std::set<const Value*> active_;  // What depends on xs.
  std::set<const Node*> fits_;     // Nodes whose derivative is known.
  std::vector<const Node*> path_;
  std::unordered_map<const Value*, Value*> gradients_;
  std::unordered_map<const Value*, TensorType> types_;
};

Status upgrade_gradient(OnnxImport& in) {
  const Strings xs = in.take<Strings>("xs", {});
  const Strings zs = in.take<Strings>("zs", {});
  const std::string name = in.take<std::string>("y", "");
  if (xs.empty() || in.inputs.size() != xs.size() + zs.size()) {
    return bad_input("has ", in.inputs.size(), " inputs, expected one for each of ", xs.size(),
                     " xs and ", zs.size(), " zs");
  }
  for (size_t i = 0; i < in.inputs.size(); ++i) {
    const std::string& leaf = i < xs.size() ? xs[i] : zs[i - xs.size()];
    if (in.inputs[i] == nullptr || in.graph.find_value(leaf) != in.inputs[i]) {
      return unsupported("input ", i, " is not the value '", leaf, "' itself");
    }
  }
  Value* y = in.graph.find_value(name);
  if (y == nullptr) return unsupported("'", name, "' is not made before the gradient of it");
  HONE_TRY(in.results, Differentiation(in, xs.size()).run(y));
  return Done{};
}

Result<std::vector<ValueType>> infer_gradient(const InferContext&) {
  return unsupported("a gradient is taken at import only");
}

}  // namespace

extern const OpDef op_gradient = {
    .name = "gradient",
    .summary = "Derivatives of a value of the graph, built at import.",
    .inputs = {{"values", kFloat, 0, kVariadic}},
    .attrs = {{"xs", Strings()}, {"y", std::string()}, {"zs", Strings()}},
    .max_outputs = 1 << 20,
    .infer = infer_gradient,
    .onnx = {{"Gradient", upgrade_gradient, "ai.onnx.preview.training"}},
};

}  // namespace hone
