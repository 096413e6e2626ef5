// What of a float graph is quantized, and where its numbers are.
#pragma once

#include <unordered_map>
#include <vector>

#include "hone/quantize/scheme.h"

namespace hone {

enum class LayerKind {
  Weights,   // conv, gemm, matmul with constant weights.
  Pair,      // add, sub, mul of two activations.
  Mean,      // Averages over pixels, which have a scale of their own on both sides.
  Keep,      // Moves or compares values: what comes out has the scale of what goes in.
  Function,  // A function of one value, element by element, of one node or several.
};

struct QuantLayer {
  LayerKind kind;
  Node* node;                 // The last one, for functions.
  std::vector<Use> operands;  // Where activations are read.
  Value* result;              // After the clamp that engines make part of the layer.
  Scheme scheme;
};

// In running order. Layers that stay float are not in it.
std::vector<QuantLayer> find_layers(const Graph& graph, const PlanReader& plan);

// Where a layer's weights are: input 1. Their output channels and what is summed over.
struct WeightAxes {
  int64_t channels;
  int64_t inputs;
};
WeightAxes weight_axes(const Node& node);

// Values that must have one scale: each is mapped to one that stands for all.
std::unordered_map<const Value*, const Value*> same_scale(const std::vector<QuantLayer>& layers);

// Values whose range must be known: everything that layers read or give, but what only has the
// scale of something else.
std::vector<const Value*> calibration_points(const Graph& graph,
                                             const std::vector<QuantLayer>& layers);

}  // namespace hone
