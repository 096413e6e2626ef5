#include <charconv>

#include "hone/model/load.h"

namespace hone {
namespace {

Status bind_input(Value& input, const Shape& wanted, std::map<std::string, int64_t>& symbols) {
  TensorType& type = input.type.tensor;
  if (type.ranked && type.rank() != static_cast<int64_t>(wanted.size())) {
    return bad_input("input '", input.name, "' has rank ", type.rank(), ", but the shape given is ",
                     text_of(wanted));
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool fixed = type.ranked && type.shape[i] != kUnknown;
    if (fixed && type.shape[i] != wanted[i]) {
      return bad_input("input '", input.name, "' is ", type, ", but the shape given is ",
                       text_of(wanted));
    }
    if (i >= input.dims.size() || input.dims[i].empty()) continue;
    const int64_t bound = symbols.try_emplace(input.dims[i], wanted[i]).first->second;
    if (bound != wanted[i]) {
      return bad_input("input '", input.name, "': extent '", input.dims[i], "' is ", bound,
                       " already, but the shape given is ", text_of(wanted));
    }
  }
  type.shape = wanted;
  type.ranked = true;
  return type.check().in(str("input '", input.name, "'"));
}

}  // namespace

Status bind_shapes(Graph& graph, const LoadOptions& options) {
  std::map<std::string, int64_t> symbols;
  for (const auto& [name, shape] : options.shapes) {
    Value* input = graph.find_value(name);
    if (input == nullptr || !graph.is_input(input)) {
      if (options.other_inputs) continue;
      std::vector<std::string> names;
      for (const Value* value : graph.inputs()) names.push_back(value->name);
      return bad_input("no input '", name, "'; the model has: ", join(names));
    }
    HONE_RETURN_IF_ERROR(bind_input(*input, shape, symbols));
  }
  for (Value* input : graph.inputs()) {
    for (size_t i = 0; i < input->dims.size(); ++i) {
      const auto bound = symbols.find(input->dims[i]);
      int64_t& extent = input->type.tensor.shape[i];
      if (extent == kUnknown && bound != symbols.end()) extent = bound->second;
    }
  }
  return Done{};
}

Result<std::pair<std::string, Shape>> parse_shape_binding(std::string_view text) {
  const auto wrong = [&] {
    return bad_input("shape '", text, "' is not of the form name:1x3x224x224 or name[1,3,224,224]");
  };
  const auto empty = [&] {
    return bad_input("shape '", text, "' has an extent of 0; expected 1 or more");
  };
  const bool bracketed = text.ends_with(']');
  const size_t split = bracketed ? text.rfind('[') : text.rfind(':');
  if (split == std::string_view::npos || split == 0) return wrong();
  std::string_view extents = text.substr(split + 1);
  if (bracketed) extents.remove_suffix(1);
  Shape shape;
  while (!extents.empty()) {
    const size_t end = extents.find_first_of(bracketed ? "," : "xX");
    const std::string_view digits = extents.substr(0, end);
    int64_t extent = 0;
    const auto [stop, error] = std::from_chars(digits.begin(), digits.end(), extent);
    if (error != std::errc() || stop != digits.end() || extent < 0) return wrong();
    if (extent == 0) return empty();
    shape.push_back(extent);
    if (end == std::string_view::npos) break;
    extents.remove_prefix(end + 1);
    if (extents.empty()) return wrong();
  }
  return std::pair{std::string(text.substr(0, split)), std::move(shape)};
}

}  // namespace hone
