#include "hone/targets/cpu/join_in_place.h"

#include <algorithm>

#include "hone/targets/cpu/join_step.h"

namespace hone::cpu {
namespace {

class PartPlacer {
 public:
  explicit PartPlacer(Plan& plan) : plan_(plan), uses_(plan.slots.size()) {
    for (const SlotInfo& slot : plan.slots) roots_.push_back(slot.root);
    for (size_t s = 0; s < plan.steps.size(); ++s) {
      for (const Slot slot : plan.steps[s]->reads) {
        Use& use = uses_[roots_[slot]];
        ++use.reads;
        use.last_read = s;
      }
      for (const Slot slot : plan.steps[s]->writes) uses_[slot].write = s;
    }
  }

  // From the last concatenation to the first: a part that is a whole itself has its place when its
  // own parts get theirs.
  void place() {
    for (size_t s = plan_.steps.size(); s-- > 0;) {
      JoinStep* join = join_step(s);
      if (join == nullptr || !join->joins()) continue;
      for (size_t i = 0; i < join->parts().size(); ++i) leave_in_split(*join, i);
      for (size_t i = 0; i < join->parts().size(); ++i) place_part(*join, i);
    }
    for (SlotInfo& slot : plan_.slots) point_at_root(slot);
  }

 private:
  static constexpr size_t kNever = ~size_t{0};

  // By steps, of a slot and, where it is a root, of its views.
  struct Use {
    size_t write = kNever;
    size_t reads = 0;
    size_t last_read = 0;
    size_t free_from = 0;  // Before this step its memory has something else.
  };

  JoinStep* join_step(size_t s) const {
    return s == kNever ? nullptr : dynamic_cast<JoinStep*>(plan_.steps[s].get());
  }

  void place_part(JoinStep& join, size_t i) {
    const JoinStep::Part& part = join.parts()[i];
    const Slot root = roots_[part.slot];
    if (part.in_place || !may_move(root, join.whole()) ||
        (join.rows() > 1 && !write_apart(root, part, join))) {
      return;
    }
    put(root, join, part.offset);
    join.leave_in_place(i);
  }

  // Where a split has read its whole for the last time and leaves a part as it is, at the place that
  // it has in the concatenation, both wholes are one.
  void leave_in_split(JoinStep& join, size_t i) {
    const JoinStep::Part& part = join.parts()[i];
    const Slot root = roots_[part.slot];
    const size_t split_at = uses_[root].write;
    JoinStep* split = join_step(split_at);
    if (split == nullptr || split->joins() || !same_rows(*split, join) ||
        (join.rows() > 1 && uses_[root].reads > 1) || !is_movable(root)) {
      return;
    }
    const auto taken = std::ranges::find(split->parts(), root, &JoinStep::Part::slot);
    const Slot source = roots_[split->whole()];
    if (taken->offset != part.offset || uses_[source].last_read != split_at) return;
    if (plan_.slots[source].root != join.whole()) {
      // What a second split reads would be written over what the first has left.
      const bool has_source = std::ranges::any_of(join.parts(), &JoinStep::Part::in_place);
      if (has_source || !may_move(source, join.whole())) return;
      plan_.slots[source].root = join.whole();
      uses_[source].free_from = uses_[join.whole()].free_from;
      uses_[join.whole()].free_from = split_at + 1;
    }
    put(root, join, part.offset);
    split->leave_in_place(static_cast<size_t>(taken - split->parts().begin()));
    join.leave_in_place(i);
  }

  static bool same_rows(const JoinStep& a, const JoinStep& b) {
    const size_t bytes = a.whole_rows().bytes;
    return a.rows() == b.rows() && b.whole_rows().bytes == bytes && b.whole_rows().stride == bytes;
  }

  void put(Slot root, const JoinStep& join, size_t offset) {
    SlotInfo& info = plan_.slots[root];
    info.root = join.whole();
    info.within = offset;
    info.rows_apart = join.rows();
    uses_[root].free_from = uses_[join.whole()].free_from;
  }

  // Whether it lives in the arena, and has no place in another whole yet.
  bool is_movable(Slot root) const {
    const SlotInfo& info = plan_.slots[root];
    return info.home == SlotInfo::Home::Arena && info.root == root;
  }

  bool may_move(Slot root, Slot whole) const {
    return is_movable(root) && uses_[root].write != kNever &&
           uses_[root].write >= uses_[whole].free_from;
  }

  // Other readers than the concatenation would look for the rows side by side.
  bool write_apart(Slot root, const JoinStep::Part& part, const JoinStep& join) {
    Step& writer = *plan_.steps[uses_[root].write];
    return uses_[root].reads == 1 && writer.writes.size() == 1 &&
           writer.write_apart({part.bytes, join.whole_rows().stride});
  }

  void point_at_root(SlotInfo& slot) const {
    while (plan_.slots[slot.root].root != slot.root) {
      slot.within += plan_.slots[slot.root].within;
      slot.rows_apart = std::max(slot.rows_apart, plan_.slots[slot.root].rows_apart);
      slot.root = plan_.slots[slot.root].root;
    }
  }

  Plan& plan_;
  std::vector<Use> uses_;
  std::vector<Slot> roots_;  // As views have them, before any part is placed.
};

}  // namespace

void join_in_place(Plan& plan) {
  if (!plan.options.keep_values) PartPlacer(plan).place();
}

}  // namespace hone::cpu
