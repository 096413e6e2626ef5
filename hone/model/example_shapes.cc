#include "hone/model/example_shapes.h"

#include <map>

#include "hone/base/str.h"

namespace hone {
namespace {

constexpr size_t kImageRank = 4;
constexpr int64_t kColours = 3, kPixels = 224, kSteps = 128;

// Samples stand along the first axis; of images colours are the next, unless the last is known.
int64_t usual_extent(const Shape& shape, size_t axis) {
  if (axis == 0) return 1;
  if (shape.size() != kImageRank) return kSteps;
  const bool colours_last = shape[2] == kUnknown && shape[3] != kUnknown;
  return axis == 1 && !colours_last ? kColours : kPixels;
}

// The symbols of extents, and what they stand for.
using Symbols = std::map<std::string, int64_t>;

std::string symbol_of(const Value& input, size_t axis) {
  return axis < input.dims.size() ? input.dims[axis] : std::string();
}

bool needs_shape(const Value& input, const Symbols& bound) {
  const TensorType& type = input.type.tensor;
  if (!input.type.is_tensor() || type.known()) return false;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (type.shape[i] == kUnknown && !bound.contains(symbol_of(input, i))) return true;
  }
  return !type.ranked;
}

Shape example_of(const Value& input, Symbols& bound) {
  const TensorType& type = input.type.tensor;
  if (!type.ranked) return {1, kColours, kPixels, kPixels};
  Shape shape = type.shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != kUnknown) continue;
    shape[i] = usual_extent(type.shape, i);
    const std::string symbol = symbol_of(input, i);
    if (!symbol.empty()) shape[i] = bound.try_emplace(symbol, shape[i]).first->second;
  }
  return shape;
}

}  // namespace

std::string example_shapes(const Graph& graph, const std::set<std::string>& given) {
  Symbols bound;
  std::string text;
  for (const Value* input : graph.inputs()) {
    if (given.contains(input->name) || !needs_shape(*input, bound)) continue;
    text += str(text.empty() ? "" : " ", input->name, ":", text_of(example_of(*input, bound)));
  }
  return text;
}

}  // namespace hone
