#include "hone/targets/c_code/vtcm.h"

#include <algorithm>
#include <numeric>

namespace hone::c_code {
namespace {

// Blocks of one memory, each at the lowest offset that is free during its life.
class VtcmBlocks {
 public:
  explicit VtcmBlocks(size_t bytes) : bytes_(bytes) {}

  std::optional<size_t> place(size_t owner, size_t bytes, size_t first, size_t last) {
    if (bytes == 0) return 0;
    std::vector<Block> others;
    for (const Block& block : blocks_) {
      if (block.first <= last && first <= block.last) others.push_back(block);
    }
    std::ranges::sort(others, {}, &Block::offset);
    size_t offset = 0;
    for (const Block& other : others) {
      if (other.offset >= offset + vtcm_rounded(bytes)) break;
      offset = std::max(offset, other.offset + other.bytes);
    }
    if (offset + vtcm_rounded(bytes) > bytes_) return std::nullopt;
    blocks_.push_back({owner, offset, vtcm_rounded(bytes), first, last});
    return offset;
  }

  void forget(size_t owner) {
    std::erase_if(blocks_, [&](const Block& block) { return block.owner == owner; });
  }

  size_t used() const {
    size_t end = 0;
    for (const Block& block : blocks_) end = std::max(end, block.offset + block.bytes);
    return end;
  }

 private:
  struct Block {
    size_t owner, offset, bytes, first, last;
  };
  size_t bytes_;
  std::vector<Block> blocks_;
};

class VtcmPlanner {
 public:
  VtcmPlanner(const std::vector<StepConstants>& steps, const std::vector<BufferLife>& tensors,
              size_t bytes)
      : steps_(steps), tensors_(tensors), bytes_(bytes), blocks_(bytes) {}

  VtcmPlan plan() {
    if (bytes_ == 0) return {};
    if (!all_kept()) {
      begin();
      cut_into_pieces();
      for (size_t s = 0; s < steps_.size(); ++s) fetch(s);
      place_tensors();
      for (const size_t s : by_size()) keep(s);
    }
    plan_.bytes = blocks_.used();
    return std::move(plan_);
  }

 private:
  void begin() {
    blocks_ = VtcmBlocks(bytes_);
    plan_ = {.steps = std::vector<VtcmStep>(steps_.size()),
             .tensors = std::vector<std::optional<size_t>>(tensors_.size())};
    number_slots();
  }

  void number_slots() {
    size_t slot = 1;
    for (VtcmStep& step : plan_.steps) {
      step.first_slot = slot;
      slot = step.last_slot() + 1;
    }
  }
  size_t last_slot() const { return plan_.steps.empty() ? 0 : plan_.steps.back().last_slot(); }

  // Whether everything is there at once.
  bool all_kept() {
    begin();
    for (size_t s = 0; s < steps_.size(); ++s) {
      if (steps_[s].all() > 0 && !keep(s)) return false;
    }
    place_tensors();
    return std::ranges::all_of(plan_.tensors,
                               [](const auto& offset) { return offset.has_value(); });
  }

  // As few as may be, from the last panels on.
  void cut_into_pieces() {
    for (size_t s = 0; s < steps_.size(); ++s) {
      const StepConstants& step = steps_[s];
      if (step.panels == 0 || least_bytes(step) > bytes_) continue;
      const size_t most = std::max<size_t>(1, most_piece_bytes(bytes_) / step.panel);
      for (size_t end = step.panels; end > 0;) {
        const size_t first = end - std::min(end, most);
        plan_.steps[s].pieces.push_back({.first = first, .end = end});
        end = first;
      }
    }
    number_slots();
  }

  // A step of which something finds no place stays away: in one slot, which those behind it move up to.
  void fetch(size_t s) {
    const StepConstants& step = steps_[s];
    VtcmStep& result = plan_.steps[s];
    if (step.all() == 0 || (step.panels > 0 && result.pieces.empty())) return;
    const auto common = blocks_.place(s, step.common, result.first_slot - 1, result.last_slot());
    bool placed = common.has_value();
    for (size_t i = 0; placed && i < result.pieces.size(); ++i) {
      VtcmPiece& piece = result.pieces[i];
      const size_t slot = result.first_slot + i;
      const auto offset = blocks_.place(s, step.bytes_of(piece.first, piece.end), slot - 1, slot);
      placed = offset.has_value();
      piece.offset = offset.value_or(0);
    }
    if (placed) {
      result.residence = Residence::Fetched;
      result.common_offset = *common;
      return;
    }
    blocks_.forget(s);
    result.pieces.clear();
    number_slots();
  }

  void place_tensors() {
    std::vector<size_t> order(tensors_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) {
      return tensors_[i].bytes * (tensors_[i].last - tensors_[i].first + 1);
    });
    for (const size_t i : order) {
      const BufferLife& life = tensors_[i];
      // Inputs may be there before a run.
      const size_t first = life.first == 0 ? 0 : plan_.steps[life.first].first_slot;
      plan_.tensors[i] =
          blocks_.place(steps_.size(), life.bytes, first, plan_.steps[life.last].last_slot());
    }
  }

  // The first step, then those of the fewest bytes.
  std::vector<size_t> by_size() const {
    std::vector<size_t> order(steps_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t s) { return s == 0 ? 0 : steps_[s].all(); });
    return order;
  }

  // In one piece.
  bool keep(size_t s) {
    const StepConstants& step = steps_[s];
    VtcmStep& result = plan_.steps[s];
    if (step.all() == 0 || result.pieces.size() > 1) return false;
    const VtcmBlocks before = blocks_;
    blocks_.forget(s);
    const auto common = blocks_.place(s, step.common, 0, last_slot());
    const auto panels = blocks_.place(s, step.bytes_of(0, step.panels), 0, last_slot());
    if (!common || !panels) {
      blocks_ = before;
      return false;
    }
    result.residence = Residence::Kept;
    result.common_offset = *common;
    result.pieces.clear();
    if (step.panels > 0) result.pieces = {{.first = 0, .end = step.panels, .offset = *panels}};
    return true;
  }

  const std::vector<StepConstants>& steps_;
  const std::vector<BufferLife>& tensors_;
  size_t bytes_;
  VtcmBlocks blocks_;
  VtcmPlan plan_;
};

}  // namespace

size_t StepConstants::bytes_of(size_t first, size_t end) const {
  if (first >= end) return 0;
  return (end - first - 1) * panel + (end == panels ? last_panel : panel);
}

size_t least_bytes(const StepConstants& step) {
  return vtcm_rounded(step.common) +
         (step.panels > 1 ? 2 : 1) * vtcm_rounded(std::max(step.panel, step.last_panel));
}

VtcmPlan plan_vtcm(const std::vector<StepConstants>& steps, const std::vector<BufferLife>& tensors,
                   size_t vtcm_bytes) {
  return VtcmPlanner(steps, tensors, vtcm_bytes).plan();
}

}  // namespace hone::c_code
