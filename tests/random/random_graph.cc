#include "tests/random/random_graph.h"

#include "tests/random/moves.h"

namespace hone {
namespace {

void add_inputs(GraphMaker& make, GraphKind kind) {
  if (kind == GraphKind::Integer) {
    for (const DType dtype : {DType::I32, DType::I64, DType::U8}) {
      make.input(dtype, make.shape(make.dice.between(1, 3), 5));
    }
    return;
  }
  if (kind == GraphKind::Recurrent) {
    make.input(DType::F32, make.shape(3, 6));
    return;
  }
  if (kind == GraphKind::Movement && make.dice.chance(10)) {
    Shape empty = make.shape(4, 5);
    empty[static_cast<size_t>(make.dice.between(0, 3))] = 0;
    make.input(DType::F32, empty);
  }
  const Shape extents = make.shape(2, 9);
  const int64_t channels = make.dice.between(1, 20);
  make.input(DType::F32, {make.dice.chance(80) ? 1 : 2, channels, extents[0], extents[1]});
  if (make.dice.chance(30)) make.input(DType::F32, make.shape(2, 12));
}

const std::vector<Move>& moves_of(GraphKind kind) {
  switch (kind) {
    case GraphKind::Float:
    case GraphKind::Pairs:
      return layer_moves();
    case GraphKind::Integer:
      return integer_moves();
    case GraphKind::Movement:
      return movement_moves();
    case GraphKind::Recurrent:
      break;
  }
  return recurrent_moves();
}

}  // namespace

std::string_view name_of(GraphKind kind) {
  static constexpr std::string_view kNames[] = {"float", "pairs", "integer", "movement",
                                                "recurrent"};
  return kNames[static_cast<size_t>(kind)];
}

Graph random_graph(GraphKind kind, uint64_t seed) {
  GraphMaker make(seed * 5 + static_cast<uint64_t>(kind));
  add_inputs(make, kind);
  const int64_t moves = make.dice.between(1, 8);
  for (int64_t i = 0; i < moves; ++i) {
    // Networks have layers and what moves values between them.
    const bool moves_values = kind != GraphKind::Integer && make.dice.chance(20);
    make.dice.one_of(moves_values ? movement_moves() : moves_of(kind))(make);
    if (kind == GraphKind::Pairs) {
      if (Value* value = make.pick(DType::F32)) through_pair(make, value);
    }
  }
  return make.finish();
}

}  // namespace hone
