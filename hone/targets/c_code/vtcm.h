// Memory beside the vectors of a DSP (VTCM): what of a network lies there, and when it comes.
//
// A run is a row of slots. Each computes with one piece of constants, while those of the next are fetched; slot 0 is
// what comes before a run. What is fetched for a slot has its memory from the slot before on, so that nothing is
// written over that is still read.
#pragma once

#include <optional>
#include <vector>

#include "hone/targets/common/memory_planner.h"

namespace hone::c_code {

// Constants of a step, in bytes: some that it reads until its end, and panels that it takes one after another, each of
// which is read by itself.
struct StepConstants {
  size_t common = 0;
  size_t panels = 0;
  size_t panel = 0;       // All of them but the last
  size_t last_panel = 0;  // have as many bytes.

  size_t bytes_of(size_t first, size_t end) const;
  size_t all() const { return common + bytes_of(0, panels); }
};

enum class Residence {
  Away,     // In main memory, where it is read.
  Fetched,  // In every run, while the slot before computes.
  Kept,     // From one run to the next.
};

struct VtcmPiece {
  size_t first = 0, end = 0;  // Panels.
  size_t offset = 0;
};

struct VtcmStep {
  Residence residence = Residence::Away;
  size_t first_slot = 0;  // One slot for each piece, at least one.
  size_t common_offset = 0;
  std::vector<VtcmPiece> pieces =
      {};  // From the last panels on; none where it has none, or is away.

  size_t last_slot() const { return first_slot + (pieces.empty() ? 0 : pieces.size() - 1); }
};

struct VtcmPlan {
  size_t bytes = 0;  // That it takes; 0: none.
  std::vector<VtcmStep> steps = {};
  std::vector<std::optional<size_t>> tensors =
      {};  // Offsets; nothing for those that lie elsewhere.
};

// Vectors lie at multiples of it.
inline constexpr size_t kVtcmAlignment = 128;
inline size_t vtcm_rounded(size_t bytes) {
  return (bytes + kVtcmAlignment - 1) / kVtcmAlignment * kVtcmAlignment;
}

// The largest piece that a step's panels may make, so that two of them leave a third of the memory to others.
inline size_t most_piece_bytes(size_t vtcm_bytes) {
  return vtcm_bytes / 3;
}

// What a step needs at the least to be fetched: its common constants, and two pieces of one panel.
size_t least_bytes(const StepConstants& step);

// Tensors live from step to step. All constants are kept where they fit beside the tensors; otherwise they are fetched,
// tensors are placed in what is left, and those that take least of it for a step go first; then constants are kept that
// have room, the first step's before others, which nothing would hide.
VtcmPlan plan_vtcm(const std::vector<StepConstants>& steps, const std::vector<BufferLife>& tensors,
                   size_t vtcm_bytes);

}  // namespace hone::c_code
