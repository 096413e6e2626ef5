#include "hone/cli/changed_io.h"

#include <algorithm>

#include "hone/base/printable.h"

namespace hone {
namespace {

Json converted_json(const std::vector<IntegerIo::Converted>& values) {
  Json list = Json::array();
  for (const IntegerIo::Converted& value : values) {
    list.push_back({{"name", value.name},
                    {"type", name_of(value.dtype)},
                    {"scale", value.scale},
                    {"zero_point", value.zero_point}});
  }
  return list;
}

void print_converted(std::string_view what, const std::vector<IntegerIo::Converted>& values,
                     std::ostream& out) {
  for (const IntegerIo::Converted& value : values) {
    out << what << " '" << printable(value.name) << "' is " << name_of(value.dtype) << ", scale "
        << value.scale << ", zero point " << value.zero_point << "\n";
  }
}

// Of one who asked for integers: what is float still.
void print_floats(std::string_view what, std::span<Value* const> values,
                  const std::vector<IntegerIo::Converted>& converted, std::string_view why,
                  std::ostream& out) {
  for (size_t i = 0; i < values.size(); ++i) {
    const DType dtype = values[i]->type.tensor.dtype;
    const bool is_integer =
        std::ranges::find(converted, i, &IntegerIo::Converted::position) != converted.end();
    if (is_integer || !kFloat.contains(dtype)) continue;
    out << what << " '" << printable(values[i]->name) << "' stays " << name_of(dtype) << ": " << why
        << "\n";
  }
}

}  // namespace

void print_integers(const IntegerIo& io, const Graph& graph, std::ostream& out) {
  print_converted("input", io.inputs, out);
  print_floats("input", graph.inputs(), io.inputs, "more than a quantization reads it", out);
  print_converted("output", io.outputs, out);
  print_floats("output", graph.outputs(), io.outputs, "it is no dequantized value", out);
}

void print_channels_last(const std::vector<size_t>& positions, const Graph& graph,
                         std::ostream& out) {
  for (const size_t position : positions) {
    out << "input '" << printable(graph.inputs()[position]->name) << "' takes its channels last\n";
  }
}

void add_io(const IoChange& io, const Graph& graph, Json& json) {
  json["integer_inputs"] = converted_json(io.integers.inputs);
  json["integer_outputs"] = converted_json(io.integers.outputs);
  json["channels_last"] = Json::array();
  for (const size_t position : io.channels_last) {
    json["channels_last"].push_back(graph.inputs()[position]->name);
  }
}

}  // namespace hone
