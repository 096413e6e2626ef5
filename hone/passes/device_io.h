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
    size_t position = 0;  // Among the graph's inputs or outputs.
    std::string name = {};
    DType dtype = DType::I8;
    float scale = 0;
    int32_t zero_point = 0;
  };
  std::vector<Converted> inputs = {};
  std::vector<Converted> outputs = {};

  bool empty() const { return inputs.empty() && outputs.empty(); }
};
IntegerIo use_integer_io(Graph& graph);

// Inputs [N, C, H, W] are taken as [N, H, W, C]; says which, by their positions. A transpose behind
// each gives the network what it knows, and cancels where the target computes channels last. An
// input that the network itself turns so stays: its channels are last already.
std::vector<size_t> use_channels_last(Graph& graph);

// How a network's inputs and outputs differ from those of the one it was made from.
struct IoChange {
  IntegerIo integers = {};
  std::vector<size_t> channels_last = {};  // Positions of inputs.

  bool empty() const { return integers.empty() && channels_last.empty(); }
};

}  // namespace hone
