// Graph -> text. graph.h shows the form; parse.cc reads it.

#include <algorithm>

#include "hone/graph/graph.h"
#include "hone/graph/lexer.h"
#include "hone/graph/literal.h"

namespace hone {
namespace {

// Constants with more elements stand on a line of their own.
constexpr int64_t kLargestInline = 8;

std::string word(std::string_view text) {
  return is_plain_word(text) ? std::string(text) : quote(text);
}

std::string name_of(const Value* value) {
  return str("%", is_plain_value_name(value->name) ? value->name : quote(value->name));
}

std::string quantization_text(const Quantization& quant) {
  std::string text = "<";
  if (!quant.per_tensor()) text += str("axis ", quant.axis, ", ");
  for (size_t i = 0; i < quant.scales.size(); ++i) {
    if (i > 0) text += ' ';
    text += text_of_float(quant.scales[i]) + ":" + std::to_string(quant.zero_points[i]);
  }
  return text + ">";
}

std::string type_text(const TensorType& type) {
  if (type.dtype == DType::Undefined && !type.ranked) return "?";
  return text_of(type) + (type.quant ? quantization_text(*type.quant) : "");
}

std::string type_text(const ValueType& type) {
  return str(type.optional ? "optional " : "", type.sequence ? "sequence " : "",
             type_text(type.tensor));
}

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  // `indent` is that of the line the graph begins on.
  std::string graph_text(const Graph& graph, const std::string& indent) const {
    std::vector<std::string> inputs, outputs;
    for (const Value* input : graph.inputs()) {
      inputs.push_back(name_of(input) + ": " + type_text(input->type));
    }
    for (const Value* output : graph.outputs()) outputs.push_back(name_of(output));
    std::string text = str("graph(", join(inputs), ") -> (", join(outputs), ") {\n");
    const std::string inner = indent + "  ";
    if (options_.origins) text += sources_text(graph, inner);
    for (const Value* constant : graph.constants()) {
      if (is_inline(graph, constant)) continue;
      text += str(inner, "const ", name_of(constant), ": ", type_text(constant->constant->type()),
                  " = ", elements_text(*constant->constant), "\n");
    }
    for (const Node* node : graph.nodes()) text += inner + node_text(graph, *node, inner) + "\n";
    return text + indent + "}";
  }

 private:
  static bool is_inline(const Graph& graph, const Value* value) {
    return value->constant && value->constant->elements() <= kLargestInline &&
           value->users.size() == 1 && !graph.is_output(value);
  }

  std::string elements_text(const Tensor& tensor) const {
    if (tensor.elements() > options_.largest_constant) return "{...}";
    return str("{", text_of_elements(tensor), "}");
  }

  std::string literal_text(const Tensor& tensor) const {
    return type_text(tensor.type()) + elements_text(tensor);
  }

  static std::string sources_text(const Graph& graph, const std::string& indent) {
    std::string text;
    for (const Source& source : graph.sources) {
      text += str(indent, "source ", quote(source.name), " ", word(source.op), " ", source.position,
                  "\n");
    }
    for (const Vanished& gone : graph.vanished) {
      text += str(indent, "vanished ", gone.source, " ", quote(gone.pass), "\n");
    }
    return text;
  }

  std::string node_text(const Graph& graph, const Node& node, const std::string& indent) const {
    std::vector<std::string> results, operands;
    for (const Value* output : node.outputs) {
      const bool unknown = output->type == ValueType();
      results.push_back(name_of(output) + (unknown ? "" : str(": ", type_text(output->type))));
    }
    for (const Value* input : node.inputs) {
      operands.push_back(input == nullptr          ? "_"
                         : is_inline(graph, input) ? literal_text(*input->constant)
                                                   : name_of(input));
    }
    std::string text = str(join(results), " = ", word(node.op), "(", join(operands), ")");
    for (const auto& [key, attr] : node.attrs) {
      text += str(" ", word(key), "=", attr_text(attr, indent));
    }
    if (!node.name.empty()) text += str(" name ", quote(node.name));
    if (options_.origins) text += str(" from [", join(node.origins, ","), "]");
    return text;
  }

  std::string attr_text(const Attr& attr, const std::string& indent) const {
    if (const auto* integer = std::get_if<int64_t>(&attr)) return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&attr)) return text_of_double(*real);
    if (const auto* text = std::get_if<std::string>(&attr)) return quote(*text);
    if (const auto* dtype = std::get_if<DType>(&attr)) return std::string(hone::name_of(*dtype));
    if (const auto* tensor = std::get_if<Tensor>(&attr)) return literal_text(*tensor);
    if (const auto* body = std::get_if<std::shared_ptr<Graph>>(&attr)) {
      return graph_text(**body, indent);
    }
    return list_text(attr);
  }

  static std::string list_text(const Attr& attr) {
    std::vector<std::string> items;
    if (const auto* ints = std::get_if<Ints>(&attr)) {
      for (const int64_t value : *ints) items.push_back(std::to_string(value));
    }
    if (const auto* floats = std::get_if<Floats>(&attr)) {
      for (const double value : *floats) items.push_back(text_of_double(value));
    }
    if (const auto* strings = std::get_if<Strings>(&attr)) {
      for (const std::string& value : *strings) items.push_back(quote(value));
    }
    if (items.empty()) return str(kind_of(attr), "[]");
    return str("[", join(items, ","), "]");
  }

  const PrintOptions& options_;
};

}  // namespace

std::string print(const Graph& graph, const PrintOptions& options) {
  return Printer(options).graph_text(graph, "") + "\n";
}

}  // namespace hone
