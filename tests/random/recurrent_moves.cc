#include "tests/random/moves.h"

namespace hone {
namespace {

struct Kind {
  std::string op;
  int64_t gates;
};

// [time, batch, features]
void recurrent(GraphMaker& make) {
  static const std::vector<Kind> kKinds = {{"lstm", 4}, {"gru", 3}, {"rnn", 1}};
  Value* x = make.pick(DType::F32, 3);
  if (x == nullptr || x->type.tensor.elements() == 0) return;
  const Kind& kind = make.dice.one_of(kKinds);
  const Shape& shape = x->type.tensor.shape;
  const std::string direction =
      make.dice.one_of<std::string>({"forward", "forward", "reverse", "bidirectional"});
  const int64_t directions = direction == "bidirectional" ? 2 : 1, hidden = make.dice.between(1, 9);
  const int64_t rows = kind.gates * hidden;
  Value* w = make.floats({directions, rows, shape[2]});
  Value* r = make.floats({directions, rows, hidden});
  Value* b = make.dice.chance(60) ? make.floats({directions, 2 * rows}) : nullptr;
  Value* lengths =
      make.dice.chance(25) ? make.integers(DType::I32, {shape[1]}, 1, shape[0]) : nullptr;
  Value* h = make.dice.chance(40) ? make.floats({directions, shape[1], hidden}) : nullptr;
  Attrs attrs = {{"hidden_size", hidden}, {"direction", direction}};
  if (kind.op == "gru") attrs["linear_before_reset"] = make.dice.between(0, 1);
  const Node* node = make.add(kind.op, {x, w, r, b, lengths, h}, std::move(attrs), 2);
  if (node == nullptr) return;
  // [time, directions, batch, hidden] back to [time, batch, features].
  Value* turned = make.apply("transpose", {node->outputs[0]}, {{"perm", Ints{0, 2, 1, 3}}});
  if (turned != nullptr) make.add("reshape", {turned, make.numbers({0, 0, -1})});
}

}  // namespace

const std::vector<Move>& recurrent_moves() {
  static const std::vector<Move> kMoves = {recurrent};
  return kMoves;
}

}  // namespace hone
