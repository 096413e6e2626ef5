// Orders of axes: axis i of a transposed tensor is axis perm[i] of the tensor.
#pragma once

#include "hone/graph/graph.h"
#include "hone/ops/movement/transpose_tflite.h"  // permuted, transposed

namespace hone {

// For images of `rank` axes, at least 3: [0,2,3,1] and [0,3,1,2] with 4.
Ints to_nhwc(size_t rank);
Ints to_nchw(size_t rank);

// Of a transpose node whose input has a known rank.
Ints perm_of(const Node& transpose);
bool is_identity(const Ints& perm);
Ints inverse(const Ints& perm);
// The order that `first` and then `second` make.
Ints compose(const Ints& first, const Ints& second);
// True when the elements stay where they are: only axes of extent 1 pass others.
bool moves_only_ones(const Shape& shape, const Ints& perm);

Shape permuted(const Shape& shape, const Ints& perm);

// A transpose of `value` for `reader`, before it and with its origins; one that is there already
// serves several readers.
Value* transpose_before(Graph& graph, Value* value, const Ints& perm, Node& reader);
// Puts a transpose between an output of the node, whose type becomes that before the transpose, and
// everything that reads it; the name goes to what is read.
Node* transpose_after(Graph& graph, Node& node, size_t output, const Ints& perm);

}  // namespace hone
