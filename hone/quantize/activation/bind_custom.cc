#include "hone/quantize/activation/bind_custom.h"

#include <algorithm>

#include "hone/ops/infer_types.h"
#include "hone/passes/match.h"

namespace hone {
namespace {

constexpr std::string_view kBinding = "bind_custom_op";

using Code = Expression::Code;

bool is_named(const Node& node, const std::string& name) {
  if (node.op != "custom") return false;
  const auto* domain = node.find_attr<std::string>("domain");
  const auto* type = node.find_attr<std::string>("op_type");
  if (type == nullptr) return false;
  return name == *type || (domain != nullptr && name == str(*domain, ".", *type));
}

std::string_view operator_of(Code code) {
  switch (code) {
    case Code::Add:
      return "add";
    case Code::Subtract:
      return "sub";
    case Code::Multiply:
      return "mul";
    case Code::Divide:
      return "div";
    case Code::Power:
      return "pow";
    case Code::Less:
      return "less";
    case Code::LessOrEqual:
      return "less_or_equal";
    case Code::Greater:
      return "greater";
    case Code::GreaterOrEqual:
      return "greater_or_equal";
    default:
      return "equal";
  }
}

// Writes the expression's instructions as nodes before `place`.
class Writer {
 public:
  Writer(Graph& graph, Node* place) : graph_(graph), place_(place) {}

  Value* write(const Expression& expression) {
    for (const Expression::Instruction& one : expression.program()) step(one);
    // A number alone is no function of x: it takes x's extents.
    if (stack_[0]->constant) {
      Value* zero = add("mul", {place_->inputs[0], number(0)});
      return add("add", {zero, stack_[0]});
    }
    return stack_[0];
  }

 private:
  Value* add(std::string_view op, std::vector<Value*> inputs, Attrs attrs = {}) {
    Node* node =
        add_inferred(graph_, op, std::move(inputs), std::move(attrs), place_->name, place_);
    graph_.inherit_origins(node, *place_);
    return node->outputs[0];
  }

  Value* number(double value) {
    return graph_.add_constant("number", Tensor::scalar(static_cast<float>(value)));
  }

  Value* pop() {
    Value* value = stack_.back();
    stack_.pop_back();
    return value;
  }

  void step(const Expression::Instruction& one) {
    if (one.code == Code::Number) return stack_.push_back(number(one.number));
    if (one.code == Code::X) return stack_.push_back(place_->inputs[0]);
    if (one.code == Code::Negate) return stack_.push_back(add("neg", {pop()}));
    if (one.code == Code::Call && one.function->one != nullptr) {
      return stack_.push_back(add(one.function->name, {pop()}));
    }
    Value* b = pop();
    Value* a = pop();
    if (one.code == Code::Call) return stack_.push_back(add(one.function->name, {a, b}));
    stack_.push_back(binary(one.code, a, b));
  }

  Value* binary(Code code, Value* a, Value* b) {
    Value* result = add(operator_of(code), {a, b});
    if (code == Code::NotEqual) result = add("not", {result});
    if (code < Code::Less) return result;
    return add("cast", {result}, {{"to", DType::F32}});
  }

  Graph& graph_;
  Node* place_;
  std::vector<Value*> stack_;
};

// The file's attributes of the node that are single numbers.
std::map<std::string, double> numbers_of(const Node& node) {
  std::map<std::string, double> parameters;
  const auto* names = node.find_attr<Strings>("names");
  const auto* numbers = node.find_attr<Floats>("numbers");
  if (names == nullptr || numbers == nullptr) return parameters;
  for (size_t i = 0; i < names->size() && i < numbers->size(); ++i) {
    parameters[(*names)[i]] = (*numbers)[i];
  }
  return parameters;
}

Status check_form(const Node& node) {
  if (node.inputs.size() != 1 || node.outputs.size() != 1 || node.inputs[0] == nullptr) {
    return bad_input("node '", node.name, "' has ", node.inputs.size(), " inputs and ",
                     node.outputs.size(), " outputs, expected one of each");
  }
  if (node.inputs[0]->type.tensor.dtype != DType::F32) {
    return unsupported("node '", node.name, "': its input is ", node.inputs[0]->type.tensor,
                       ", expected f32");
  }
  return Done{};
}

// Values of names are the operator's attributes, and nobody else's to give.
Result<Expression> meaning_of(const Node& node, const std::string& expression) {
  const std::map<std::string, double> numbers = numbers_of(node);
  Result<Expression> parsed = Expression::parse(expression, numbers);
  if (parsed.ok() || parsed.error().hint.kind != HintKind::Parameter) return parsed;
  std::vector<std::string> names;
  for (const auto& [name, number] : numbers) names.push_back(name);
  return bad_input(parsed.error().message, "; numbers among the operator's attributes: ",
                   names.empty() ? "none" : join(names));
}

}  // namespace

bool has_custom_op(const Graph& graph, const std::string& name) {
  return std::ranges::any_of(graph.nodes(),
                             [&](const Node* node) { return is_named(*node, name); });
}

Result<int> bind_custom_op(Graph& graph, const std::string& name, const std::string& expression) {
  int bound = 0;
  for (Node* node : graph.nodes()) {
    if (!is_named(*node, name)) continue;
    HONE_RETURN_IF_ERROR(check_form(*node));
    HONE_TRY(const Expression parsed,
             meaning_of(*node, expression).in(str("node '", node->name, "'")));
    Value* result = Writer(graph, node).write(parsed);
    const std::pair<Value*, Value*> values[] = {{node->outputs[0], result}};
    Node* const old[] = {node};
    Node* const by[] = {result->producer};
    const std::string output = node->outputs[0]->name;
    graph.replace(old, by, values, kBinding);
    graph.rename(result, output);
    ++bound;
    HONE_RETURN_IF_ERROR(infer_types(graph));
  }
  if (bound == 0) return bad_input("the model has no operator '", name, "' that needs a meaning");
  return bound;
}

}  // namespace hone
