// Computes once what is computed twice: the same operator with the same attributes on the same
// inputs.
//
//   %a = relu(%x)
//   %b = relu(%x)       =>   %y = add(%a, %a)
//   %y = add(%a, %b)
//
// Constants of few elements count as the same when their elements are. Leaves alone random
// operators, nodes with subgraphs, and outputs of the graph, each of which must be a value of its
// own.

#include <sstream>

#include "hone/passes/common_key.h"
#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr std::string_view kRemoveCommonPass = "remove_common";
constexpr size_t kSmallBytes = 256;

void write_value(std::ostream& out, const Value* value) {
  out << '|';
  if (value == nullptr) return;
  const bool small = value->constant && value->type.tensor.dtype != DType::String &&
                     !value->type.tensor.quantized() &&
                     value->constant->bytes().size() <= kSmallBytes;
  if (!small) {
    out << value;
    return;
  }
  const auto bytes = value->constant->bytes();
  out << value->type;
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

// False for an attribute that is not compared.
bool write_attr(std::ostream& out, const Attr& attr) {
  out << std::hexfloat;
  if (const auto* integer = std::get_if<int64_t>(&attr)) return bool(out << *integer);
  if (const auto* real = std::get_if<double>(&attr)) return bool(out << *real);
  if (const auto* text = std::get_if<std::string>(&attr)) return bool(out << *text);
  if (const auto* dtype = std::get_if<DType>(&attr)) return bool(out << *dtype);
  if (const auto* ints = std::get_if<Ints>(&attr)) return bool(out << join(*ints));
  if (const auto* reals = std::get_if<Floats>(&attr)) {
    for (const double real : *reals) out << real << ',';
    return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> computation_key(const Graph& graph, const Node& node) {
  const OpDef* op = find_op(node.op);
  if (op == nullptr || op->random || node.op == "custom") return {};
  std::ostringstream out;
  out << node.op;
  for (const Value* input : node.inputs) write_value(out, input);
  for (const auto& [name, attr] : node.attrs) {
    out << '|' << name << '=';
    if (!write_attr(out, attr)) return {};
  }
  for (const Value* output : node.outputs) {
    if (graph.is_output(output) || output->type.tensor.quantized()) return {};
    out << '|' << output->type;
  }
  return out.str();
}

namespace {

int run_remove_common(Graph& graph) {
  int removed = 0;
  std::unordered_map<std::string, Node*> seen;
  for (Node* node : graph.nodes()) {
    const auto key = computation_key(graph, *node);
    if (!key) continue;
    const auto [place, is_new] = seen.try_emplace(*key, node);
    if (is_new) continue;
    Node* const old[] = {node};
    Node* const by[] = {place->second};
    std::vector<std::pair<Value*, Value*>> values;
    for (size_t i = 0; i < node->outputs.size(); ++i) {
      values.emplace_back(node->outputs[i], place->second->outputs[i]);
    }
    graph.replace(old, by, values, kRemoveCommonPass);
    ++removed;
  }
  graph.remove_unused_constants();
  return removed;
}

}  // namespace

extern const PassDef pass_remove_common = {
    .name = kRemoveCommonPass,
    .summary = "Computes once what is computed twice.",
    .run = run_remove_common,
};

}  // namespace hone
