#include "tests/random/moves.h"

namespace hone {
namespace {

DType any_type(GraphMaker& make) {
  return make.dice.one_of<DType>({DType::I32, DType::I64, DType::U8});
}

void arithmetic(GraphMaker& make) {
  static const std::vector<std::string> kOps = {"add", "sub", "mul", "max", "min"};
  const DType dtype = any_type(make);
  Value* x = make.pick(dtype);
  if (x == nullptr) return;
  Value* y = make.dice.chance(50) ? make.pick(dtype) : make.integers(dtype, {1}, 0, 7);
  make.add(make.dice.one_of(kOps), {x, y});
}

void divide(GraphMaker& make) {
  Value* x = make.pick(any_type(make));
  if (x == nullptr) return;
  Value* y = make.integers(x->type.tensor.dtype, {1}, 1, 9);
  make.add(make.dice.chance(50) ? "div" : "mod", {x, y});
}

void bits(GraphMaker& make) {
  static const std::vector<std::string> kOps = {"bitwise_and", "bitwise_or", "bitwise_xor"};
  const DType dtype = any_type(make);
  Value* x = make.pick(dtype);
  if (x == nullptr) return;
  make.add(make.dice.one_of(kOps), {x, make.integers(dtype, {1}, 0, 100)});
}

void compare(GraphMaker& make) {
  static const std::vector<std::string> kOps = {"equal", "less", "greater", "less_or_equal"};
  Value* x = make.pick(any_type(make));
  if (x == nullptr) return;
  Value* y = make.integers(x->type.tensor.dtype, {1}, 0, 9);
  Value* truth = make.apply(make.dice.one_of(kOps), {x, y});
  if (truth != nullptr) make.add("where", {truth, x, y});
}

void reduce(GraphMaker& make) {
  static const std::vector<std::string> kOps = {"reduce_sum", "reduce_max", "reduce_min"};
  Value* x = make.pick(make.dice.chance(50) ? DType::I32 : DType::I64);
  if (x == nullptr || x->type.tensor.rank() == 0) return;
  make.add(make.dice.one_of(kOps), {x, make.numbers({-1})},
           {{"keepdims", make.dice.between(0, 1)}});
}

void cum_sum(GraphMaker& make) {
  Value* x = make.pick(make.dice.chance(50) ? DType::I32 : DType::I64);
  if (x == nullptr || x->type.tensor.rank() == 0) return;
  Attrs attrs = {{"exclusive", make.dice.between(0, 1)}, {"reverse", make.dice.between(0, 1)}};
  make.add("cum_sum", {x, make.constant(Tensor::scalar<int64_t>(0))}, std::move(attrs));
}

void cast(GraphMaker& make) {
  Value* x = make.pick(any_type(make));
  if (x != nullptr) make.add("cast", {x}, {{"to", any_type(make)}});
}

void matmul(GraphMaker& make) {
  Value* x = make.pick(DType::U8, 2);
  if (x == nullptr) return;
  Shape shape = {x->type.tensor.shape[1], make.dice.between(1, 6)};
  make.add("matmul_integer", {x, make.integers(DType::I8, std::move(shape), -128, 127)});
}

void transpose(GraphMaker& make) {
  if (Value* x = make.pick(any_type(make), 2)) make.add("transpose", {x}, {{"perm", Ints{1, 0}}});
}

}  // namespace

const std::vector<Move>& integer_moves() {
  static const std::vector<Move> kMoves = {arithmetic, arithmetic, divide, bits,   compare,
                                           reduce,     cum_sum,    cast,   matmul, transpose};
  return kMoves;
}

}  // namespace hone
