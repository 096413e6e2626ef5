#include "hone/report/results/changed_io.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hone/base/printable.h"
#include "hone/base/str.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;
using Converted = std::vector<IntegerIo::Converted>;

Json converted_json(const Converted& values) {
  Json list = Json::array();
  for (const IntegerIo::Converted& value : values) {
    list.push_back({{"name", value.name},
                    {"type", name_of(value.dtype)},
                    {"scale", value.scale},
                    {"zero_point", value.zero_point}});
  }
  return list;
}

std::string converted_text(std::string_view what, const Converted& values) {
  std::string text;
  for (const IntegerIo::Converted& value : values) {
    text += str(what, " '", printable(value.name), "' is ", name_of(value.dtype), ", scale ",
                value.scale, ", zero point ", value.zero_point, "\n");
  }
  return text;
}

// Of one who asked for integers: what is float still.
std::string floats_text(std::string_view what, std::span<Value* const> values,
                        const Converted& converted, std::string_view why) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    const DType dtype = values[i]->type.tensor.dtype;
    const bool is_integer =
        std::ranges::find(converted, i, &IntegerIo::Converted::position) != converted.end();
    if (is_integer || !kFloat.contains(dtype)) continue;
    text +=
        str(what, " '", printable(values[i]->name), "' stays ", name_of(dtype), ": ", why, "\n");
  }
  return text;
}

}  // namespace

std::string integers_text(const IntegerIo& io, const Graph& graph) {
  return converted_text("input", io.inputs) +
         floats_text("input", graph.inputs(), io.inputs, "more than a quantization reads it") +
         converted_text("output", io.outputs) +
         floats_text("output", graph.outputs(), io.outputs, "it is no dequantized value");
}

std::string channels_last_text(const std::vector<size_t>& positions, const Graph& graph) {
  std::string text;
  for (const size_t position : positions) {
    text +=
        str("input '", printable(graph.inputs()[position]->name), "' takes its channels last\n");
  }
  return text;
}

Json changed_io_to_json(const IoChange& io, const Graph& graph) {
  Json turned = Json::array();
  for (const size_t position : io.channels_last) turned.push_back(graph.inputs()[position]->name);
  return {{"integer_inputs", converted_json(io.integers.inputs)},
          {"integer_outputs", converted_json(io.integers.outputs)},
          {"channels_last", std::move(turned)}};
}

}  // namespace hone
