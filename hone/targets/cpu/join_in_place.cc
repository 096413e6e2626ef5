#include "hone/targets/cpu/join_in_place.h"

#include "hone/targets/cpu/join_step.h"

namespace hone::cpu {
namespace {

class PartPlacer {
 public:
  explicit PartPlacer(Plan& plan) : plan_(plan) {
    for (const SlotInfo& slot : plan.slots) roots_.push_back(slot.root);
    readers_.resize(roots_.size());
    writers_.resize(roots_.size());
    for (const auto& step : plan.steps) {
      for (const Slot slot : step->reads) ++readers_[roots_[slot]];
      for (const Slot slot : step->writes) writers_[slot] = step.get();
    }
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
      if (!may_move(root) || (join.rows() > 1 && !write_apart(root, part, join))) continue;
      plan_.slots[root].root = join.whole();
      plan_.slots[root].within = part.offset;
      plan_.slots[root].apart = join.rows() > 1;
      join.leave_in_place(i);
    }
  }

  // Whether a step writes it into the arena, and it has no place in another whole yet.
  bool may_move(Slot root) const {
    const SlotInfo& info = plan_.slots[root];
    return info.home == SlotInfo::Home::Arena && info.root == root;
  }

  // Other readers than the concatenation would look for the rows side by side.
  bool write_apart(Slot root, const JoinStep::Part& part, const JoinStep& join) {
    Step* writer = writers_[root];
    return readers_[root] == 1 && writer != nullptr && writer->writes.size() == 1 &&
           writer->write_apart({part.bytes, join.whole_rows().stride});
  }

  void point_at_root(SlotInfo& slot) const {
    while (plan_.slots[slot.root].root != slot.root) {
      slot.within += plan_.slots[slot.root].within;
      slot.apart |= plan_.slots[slot.root].apart;
      slot.root = plan_.slots[slot.root].root;
    }
  }

  Plan& plan_;
  std::vector<Slot> roots_;      // As views have them, before any part is placed.
  std::vector<size_t> readers_;  // By root: reads of it and its views.
  std::vector<Step*> writers_;   // By slot; null for none.
};

}  // namespace

void join_in_place(Plan& plan) {
  if (!plan.options.keep_values) PartPlacer(plan).place();
}

}  // namespace hone::cpu
