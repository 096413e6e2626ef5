// Makes small valid graphs at random: what every target must agree on. The same kind and seed give
// the same graph on every machine.
#pragma once

#include <string_view>
#include <vector>

#include "hone/graph/graph.h"
#include "tests/random/dice.h"

namespace hone {

// A graph in the making, and the values a next node may read.
class GraphMaker {
 public:
  explicit GraphMaker(uint64_t seed) : dice(seed) {}

  Dice dice;

  Value* input(DType dtype, Shape shape);
  // Floats from -1 to 1, or integers from `low` to `high`.
  Value* floats(Shape shape, double low = -1, double high = 1);
  Value* integers(DType dtype, Shape shape, int64_t low, int64_t high);
  Value* numbers(const std::vector<int64_t>& values) { return constant(Tensor::of_ints(values)); }
  Value* constant(Tensor tensor);

  // A node of which all outputs may be read from now on; null, and no trace, when the operator does
  // not take the operands.
  Node* add(std::string_view op, std::vector<Value*> inputs, Attrs attrs = {}, size_t outputs = 1);
  // Output 0 of such a node.
  Value* apply(std::string_view op, std::vector<Value*> inputs, Attrs attrs = {});
  // `value` is not offered to later nodes any more.
  void hide(const Value* value);

  // A value of the type with as many axes as asked for (-1: any), or null.
  Value* pick(DType dtype, int64_t rank = -1);
  // A shape of `rank` small extents.
  Shape shape(int64_t rank, int64_t largest);

  // Everything that nobody reads is an output.
  Graph finish();

 private:
  Graph graph_;
  std::vector<Value*> pool_;
};

}  // namespace hone
