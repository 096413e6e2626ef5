// Chains of layers that are computed together, stripe of rows by stripe, so that what lies between
// them never leaves the SRAM and never is there as a whole. Rows that the next stripe needs again
// are moved to the front of their buffer, not computed twice.
#pragma once

#include "hone/targets/npu/storage.h"
#include "hone/targets/npu/working_set.h"

namespace hone::npu {

struct Cascade {
  size_t first_step = 0;
  size_t last_step = 0;
  int64_t rows = 0;                       // Of the last layer's output in a stripe.
  std::vector<int64_t> link_rows = {};    // Rows that each link's buffer holds.
  std::vector<uint64_t> link_at = {};     // SRAM offsets of the links' buffers.
  std::vector<uint64_t> weights_at = {};  // SRAM offsets of each layer's weights.
  bool has(size_t step) const { return first_step <= step && step <= last_step; }
};

// The rows of every layer's output that one stripe adds, and those of its input it reads.
struct StripeRows {
  std::vector<Rows> output = {};  // By layer; empty where nothing is left to do.
  std::vector<Rows> input = {};   // Of the layer's first input.
};

// Goes through a cascade stripe by stripe.
class Stripes {
 public:
  Stripes(const ProgramOutline& program, const Cascade& cascade);
  // Nothing after the last.
  std::optional<StripeRows> next();

 private:
  std::vector<const Layer*> layers_;
  int64_t rows_;
  int64_t at_ = 0;
  std::vector<int64_t> done_;  // Rows of each layer's output there are.
};

// The longest chains whose links are storages that `spilled` names.
std::vector<Cascade> find_chains(const ProgramOutline& program, const std::vector<bool>& spilled);

// Sets link_rows for a stripe height. False when rows to be kept would overlap with their new
// place.
bool size_links(const ProgramOutline& program, Cascade& cascade);

// The storage between a step of a cascade and the next.
size_t link_of(const ProgramOutline& program, size_t step);

// Of weights or tables, in one block.
int64_t constant_bytes_of(const Layer& layer);

}  // namespace hone::npu
