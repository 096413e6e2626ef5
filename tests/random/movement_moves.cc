#include <algorithm>
#include <numeric>

#include "tests/random/moves.h"

namespace hone {
namespace {

int64_t axis_of(GraphMaker& make, const Value& value) {
  return make.dice.between(0, value.type.tensor.rank() - 1);
}
int64_t extent(const Value& value, int64_t axis) {
  return value.type.tensor.shape[static_cast<size_t>(axis)];
}

// A float value with at least one axis.
Value* operand(GraphMaker& make) {
  Value* x = make.pick(DType::F32);
  return x != nullptr && x->type.tensor.rank() > 0 ? x : nullptr;
}

void transpose(GraphMaker& make) {
  Value* x = operand(make);
  if (x == nullptr) return;
  Ints perm(x->type.tensor.shape.size());
  std::iota(perm.begin(), perm.end(), 0);
  for (size_t i = perm.size() - 1; i > 0; --i) {
    std::swap(perm[i], perm[static_cast<size_t>(make.dice.between(0, static_cast<int64_t>(i)))]);
  }
  make.add("transpose", {x}, {{"perm", perm}});
}

void reshape(GraphMaker& make) {
  Value* x = operand(make);
  if (x == nullptr) return;
  const Shape& shape = x->type.tensor.shape;
  const std::vector<Ints> targets = {
      {-1}, {0, -1}, {1, -1}, {-1, shape.back()}, {shape.front(), -1, 1}, {1, 1, -1, 1}};
  make.add("reshape", {x, make.numbers(make.dice.one_of(targets))});
}

void slice(GraphMaker& make) {
  Value* x = operand(make);
  if (x == nullptr) return;
  const int64_t axis = axis_of(make, *x), last = extent(*x, axis);
  const bool back = make.dice.chance(25);
  const int64_t start = make.dice.between(-1, std::max<int64_t>(0, last - 1));
  const int64_t end = back ? make.dice.between(-last - 1, 0) : make.dice.between(start, last + 1);
  const int64_t step = back ? -make.dice.between(1, 2) : make.dice.between(1, 3);
  Value* starts = make.numbers({start});
  Value* ends = make.numbers({end});
  Value* axes = make.numbers({axis});
  make.add("slice", {x, starts, ends, axes, make.numbers({step})});
}

void concat(GraphMaker& make) {
  Value* x = operand(make);
  if (x == nullptr) return;
  const int64_t axis = axis_of(make, *x);
  Value* other = make.pick(DType::F32, x->type.tensor.rank());
  if (make.dice.chance(50)) other = make.floats(x->type.tensor.shape);
  if (make.add("concat", {x, other}, {{"axis", axis}}) == nullptr) {
    make.add("concat", {x, x}, {{"axis", axis}});
  }
}

void split(GraphMaker& make) {
  Value* x = operand(make);
  if (x == nullptr) return;
  const int64_t axis = axis_of(make, *x);
  if (extent(*x, axis) < 2) return;
  const int64_t first = make.dice.between(1, extent(*x, axis) - 1);
  make.add("split", {x, make.numbers({first, extent(*x, axis) - first})}, {{"axis", axis}}, 2);
}

void pad(GraphMaker& make) {
  Value* x = operand(make);
  if (x == nullptr) return;
  Ints pads;
  for (int64_t i = 0; i < 2 * x->type.tensor.rank(); ++i) pads.push_back(make.dice.between(0, 2));
  const std::string mode = make.dice.one_of<std::string>({"constant", "constant", "edge", "wrap"});
  // Engines differ on what wraps around more than once.
  const int64_t shortest = std::ranges::min(x->type.tensor.shape);
  if (mode != "constant" && shortest < 2) return;
  Value* value = mode == "constant" && make.dice.chance(50) ? make.floats({}) : nullptr;
  make.add("pad", {x, make.numbers(pads), value}, {{"mode", mode}});
}

void gather(GraphMaker& make) {
  Value* x = operand(make);
  if (x == nullptr) return;
  const int64_t axis = axis_of(make, *x);
  if (extent(*x, axis) == 0) return;
  Shape shape = make.shape(make.dice.between(0, 2), 3);
  Value* indices =
      make.integers(DType::I64, std::move(shape), -extent(*x, axis), extent(*x, axis) - 1);
  make.add("gather", {x, indices}, {{"axis", axis}});
}

void expand(GraphMaker& make) {
  Value* x = operand(make);
  if (x == nullptr) return;
  Shape shape = x->type.tensor.shape;
  if (make.dice.chance(50)) shape.insert(shape.begin(), make.dice.between(1, 3));
  for (int64_t& n : shape) n = n == 1 ? make.dice.between(1, 3) : n;
  make.add("expand", {x, make.numbers(shape)});
}

void tile(GraphMaker& make) {
  Value* x = operand(make);
  if (x == nullptr) return;
  Ints repeats;
  for (int64_t i = 0; i < x->type.tensor.rank(); ++i) repeats.push_back(make.dice.between(1, 2));
  make.add("tile", {x, make.numbers(repeats)});
}

void unsqueeze(GraphMaker& make) {
  Value* x = operand(make);
  if (x == nullptr || x->type.tensor.rank() > 4) return;
  make.add("unsqueeze", {x, make.numbers({make.dice.between(0, x->type.tensor.rank())})});
}

void squeeze(GraphMaker& make) {
  if (Value* x = operand(make)) make.add("squeeze", {x});
}

void flatten(GraphMaker& make) {
  if (Value* x = operand(make)) make.add("flatten", {x}, {{"axis", axis_of(make, *x)}});
}

void resize(GraphMaker& make) {
  Value* x = make.pick(DType::F32, 4);
  if (x == nullptr || x->type.tensor.elements() == 0) return;
  Shape sizes = x->type.tensor.shape;
  sizes[2] = make.dice.between(1, 12);
  sizes[3] = make.dice.between(1, 12);
  const std::string mode = make.dice.one_of<std::string>({"nearest", "linear"});
  const std::string where = make.dice.one_of<std::string>({"half_pixel", "asymmetric"});
  Attrs attrs = {{"mode", mode}, {"coordinate_transformation_mode", where}};
  make.add("resize", {x, nullptr, nullptr, make.numbers(sizes)}, std::move(attrs));
}

void blocks(GraphMaker& make) {
  Value* x = make.pick(DType::F32, 4);
  if (x == nullptr) return;
  const bool down = make.dice.chance(50);
  make.add(down ? "space_to_depth" : "depth_to_space", {x}, {{"blocksize", int64_t{2}}});
}

void where(GraphMaker& make) {
  Value* x = operand(make);
  if (x == nullptr) return;
  Value* y = make.floats(x->type.tensor.shape);
  if (Value* condition = make.apply("greater", {x, y})) make.add("where", {condition, x, y});
}

}  // namespace

const std::vector<Move>& movement_moves() {
  static const std::vector<Move> kMoves = {transpose, reshape, slice,  concat, split,
                                           pad,       gather,  expand, tile,   unsqueeze,
                                           squeeze,   flatten, resize, blocks, where};
  return kMoves;
}

}  // namespace hone
