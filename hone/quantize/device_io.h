// What goes into a network and comes out of it as devices have it: bytes, channels last.
#pragma once

#include <string>
#include <vector>

#include "hone/graph/graph.h"

namespace hone {

// Inputs that are only quantized are taken, and outputs that were dequantized at the end are given,
// as integers: whoever calls the network converts, or never had floats. Scales of inputs stay in
// the graph, in what dequantizes them; those of outputs only the result tells.
struct IntegerIo {
  struct Converted {
    std::string name = {};
    DType dtype = DType::I8;
    float scale = 0;
    int32_t zero_point = 0;
  };
  std::vector<Converted> inputs = {};
  std::vector<Converted> outputs = {};
};
IntegerIo use_integer_io(Graph& graph);

// Inputs [N, C, H, W] are taken as [N, H, W, C]; says how many. A transpose behind each gives the
// network what it knows, and cancels where the target computes channels last.
int use_channels_last(Graph& graph);

}  // namespace hone
