#include "hone/validate/layer_name.h"

namespace hone {
namespace {

bool is_conversion(const Source& source) {
  return source.op == "QuantizeLinear" || source.op == "DequantizeLinear" ||
         source.op == "QUANTIZE" || source.op == "DEQUANTIZE";
}

}  // namespace

std::string layer_name(const Graph& graph, const Node& node) {
  const std::string own = node.name.empty() ? node.outputs[0]->name : node.name;
  if (node.origins.empty()) return own;
  const auto source_of = [&](int origin) -> const Source& {
    return graph.sources[static_cast<size_t>(origin)];
  };
  for (auto origin = node.origins.rbegin(); origin != node.origins.rend(); ++origin) {
    const Source& source = source_of(*origin);
    if (!is_conversion(source) && !source.name.empty()) return source.name;
  }
  const std::string& last = source_of(node.origins.back()).name;
  return last.empty() ? own : last;
}

std::string short_layer_name(const std::string& name) {
  constexpr size_t kLongest = 40;
  const std::string first = name.substr(0, name.find(';'));
  return first.size() <= kLongest ? first : ".." + first.substr(first.size() - kLongest + 2);
}

}  // namespace hone
