// Ways to go on with a random graph. A move adds a node or a few, or nothing where no value fits.
#pragma once

#include <vector>

#include "tests/random/graph_maker.h"

namespace hone {

using Move = void (*)(GraphMaker& make);

const std::vector<Move>& layer_moves();
const std::vector<Move>& movement_moves();
const std::vector<Move>& integer_moves();
const std::vector<Move>& recurrent_moves();

// A quantized copy of a float value, as floats again: a Q/DQ pair of random scale.
Value* through_pair(GraphMaker& make, Value* value);

}  // namespace hone
