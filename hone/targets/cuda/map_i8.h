// Element by element on quantized tensors: a tree of such operators is one kernel, or the tail of the
// product that its values come from.
#pragma once

#include "hone/targets/cuda/lowering.h"

namespace hone::cuda {

// Whether kernels can compute the node element by element on integers: sums, products and tables of
// quantized values, and the ways between them and floats.
bool is_map_i8(const Node& node, const StepBuilder& builder);

// Of a node that quantizes floats: what it makes of `x`. Requires is_map_i8.
std::string quantize_text(const Node& node, const std::string& x, const StepBuilder& builder);

// What follows a quantized product before its results are stored.
struct TailI8 {
  const Value* y = nullptr;      // What is stored.
  std::string type = {};         // Of its elements.
  std::string params = {};       // ", const i8* x0"
  std::string ahead = {};        // Fetches them ahead.
  std::string loads = {};        // Of PIECE elements at `at`.
  std::string text = "(v)";      // Of v and j.
  int64_t piece = 4;             // The most elements that the loads take at once.
  std::vector<Slot> slots = {};  // One for each parameter.
};
// Sets TAIL and what else finish.cu takes of it.
void define_tail(const TailI8& tail, int64_t piece, SourceMaker& source);
// Of a product whose values are stored as they are.
TailI8 no_tail(const Value* y);

// The node and those that are computed where it reads them, a product among them perhaps. Requires
// is_map_i8 of each but the product.
Step map_i8_step(const Node& node, StepBuilder& builder);

}  // namespace hone::cuda
