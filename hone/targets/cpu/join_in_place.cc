#include "hone/targets/cpu/join_in_place.h"

#include "hone/targets/cpu/join_step.h"

namespace hone::cpu {
namespace {

class PartPlacer {
 public:
  explicit PartPlacer(Plan& plan) : plan_(plan) {
    for (const SlotInfo& slot : plan.slots) roots_.push_back(slot.root);
  }

  // From the last concatenation to the first: a part that is a whole itself has its place when its
  // own parts get theirs.
  void place() {
    for (size_t s = plan_.steps.size(); s-- > 0;) {
      auto* join = dynamic_cast<JoinStep*>(plan_.steps[s].get());
      if (join != nullptr && join->joins()) place_parts(*join);
    }
    for (SlotInfo& slot : plan_.slots) point_at_root(slot);
  }

 private:
  void place_parts(JoinStep& join) {
    for (size_t i = 0; i < join.parts().size(); ++i) {
      const JoinStep::Part& part = join.parts()[i];
      const Slot root = roots_[part.slot];
      if (!may_move(root) || !fits(join)) continue;
      plan_.slots[root].root = join.whole();
      plan_.slots[root].within = part.offset;
      join.leave_in_place(i);
    }
  }

  // Whether a step writes it into the arena, and it has no place in another whole yet.
  bool may_move(Slot root) const {
    const SlotInfo& info = plan_.slots[root];
    return info.home == SlotInfo::Home::Arena && info.root == root;
  }

  bool fits(const JoinStep& join) const { return join.rows() == 1; }

  void point_at_root(SlotInfo& slot) const {
    while (plan_.slots[slot.root].root != slot.root) {
      slot.within += plan_.slots[slot.root].within;
      slot.root = plan_.slots[slot.root].root;
    }
  }

  Plan& plan_;
  std::vector<Slot> roots_;  // As views have them, before any part is placed.
};

}  // namespace

void join_in_place(Plan& plan) {
  if (!plan.options.keep_values) PartPlacer(plan).place();
}

}  // namespace hone::cpu
