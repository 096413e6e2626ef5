// Node by node: views share their input's memory, nodes that a kernel takes become its step, the
// rest run through their references. Then every value that lives in the arena gets its place.

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "hone/targets/common/memory_planner.h"
#include "hone/targets/common/prepare_graph.h"
#include "hone/targets/cpu/empty_step.h"
#include "hone/targets/cpu/fetch_weights.h"
#include "hone/targets/cpu/follower.h"
#include "hone/targets/cpu/gated_product.h"
#include "hone/targets/cpu/join_in_place.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/matrix_stack.h"
#include "hone/targets/cpu/plan.h"
#include "hone/targets/cpu/plane_conv_step.h"
#include "hone/targets/cpu/ref_step.h"

namespace hone::cpu {
namespace {

class PlanMaker final : public StepBuilder {
 public:
  PlanMaker(Plan& plan, const ChainLimits& limits) : plan_(plan), limits_(limits) {}

  Status make() {
    for (const Value* input : plan_.graph.inputs()) {
      const Slot slot = slot_of(input);
      if (is_plannable(*input)) plan_.slots[slot].home = SlotInfo::Home::Input;
      plan_.slots[slot].index = plan_.inputs.size();
      plan_.inputs.push_back(slot);
      plan_.input_types.push_back(input->type);
    }
    for (Node* node : plan_.graph.nodes()) {
      HONE_RETURN_IF_ERROR(add(*node));
      release_constants(*node);
    }
    place_outputs();
    join_in_place(plan_);
    find_lives();
    plan_.stages = find_stages(plan_, limits_);
    for (const Stage& stage : plan_.stages) {
      if (stage.steps() > 1) join(stage);
    }
    fetch_weights_ahead(plan_);
    share_in_place();
    place_in_arena();
    return Done{};
  }

  const CompileOptions& options() const override { return plan_.options; }

  bool planned(const Value* value) const override { return is_plannable(*value); }
  bool is_output(const Value* value) const override { return plan_.graph.is_output(value); }

  Slot read(const Value* value) override {
    const Slot slot = slot_of(value);
    if (value->constant) plan_.slots[slot].constant = *value->constant;
    reads_.push_back(slot);
    return slot;
  }

  Slot write(const Value* value) override {
    const Slot slot = slot_of(value);
    writes_.push_back(slot);
    return slot;
  }

 private:
  Slot slot_of(const Value* value) {
    const auto [found, added] = plan_.slot_of.try_emplace(value, plan_.slots.size());
    if (!added) return found->second;
    SlotInfo info;
    info.value = value;
    info.root = found->second;
    info.home = value->constant        ? SlotInfo::Home::Constant
                : is_plannable(*value) ? SlotInfo::Home::Arena
                                       : SlotInfo::Home::Boxed;
    if (is_plannable(*value)) {
      info.type = value->type.tensor;
      info.bytes = info.type.bytes();
    } else if (value->constant) {
      info.type = value->constant->type();  // Strings.
    }
    plan_.slots.push_back(std::move(info));
    return found->second;
  }

  Status add(const Node& node) {
    if (is_view(node)) {
      const Slot from = slot_of(node.inputs[0]);
      const Slot to = slot_of(node.outputs[0]);
      plan_.slots[to].root = plan_.slots[from].root;
      return Done{};
    }
    if (is_done_by_readers(node)) {
      for (const Use& use : node.outputs[0]->users) plan_.graph.inherit_origins(use.node, node);
      return Done{};
    }
    if (is_written_as_stack(node, *this)) {
      plan_.graph.inherit_origins(node.inputs[0]->producer, node);
      return Done{};
    }
    std::unique_ptr<Step> step = lower(node);
    if (step == nullptr) {
      forget_operands();
      step = make_ref_step(node, *this);
    }
    step->node = &node;
    if (step->kind.precision == Arithmetic::Unknown) step->kind.precision = arithmetic_of(node);
    step->cost = node_cost(node);
    step->reads = std::move(reads_);
    step->writes = std::move(writes_);
    forget_operands();
    plan_.steps.push_back(std::move(step));
    return Done{};
  }

  // Their steps stand for its layers, too.
  bool is_done_by_readers(const Node& node) const {
    return !is_output(node.outputs[0]) &&
           (is_read_as_planes(node, *this) || is_gated_input(node, *this) ||
            is_read_as_stack(node, *this));
  }

  std::unique_ptr<Step> lower(const Node& node) {
    if (std::ranges::all_of(node.outputs, [](const Value* y) { return is_empty(*y); })) {
      return make_empty_step(node, *this);
    }
    // What an operator makes of nothing, its reference knows; kernels count on elements. (Empty
    // constants stand for operands that are left out.)
    if (std::ranges::any_of(node.inputs, [](const Value* x) {
          return x != nullptr && !x->constant && is_empty(*x);
        })) {
      return nullptr;
    }
    for (const LoweringDef* lowering : all_lowerings()) {
      if (lowering->op != node.op) continue;
      forget_operands();
      if (std::unique_ptr<Step> step = lowering->lower(node, *this)) return step;
    }
    return nullptr;
  }

  void forget_operands() {
    reads_.clear();
    writes_.clear();
  }

  // Weights that were packed are not needed any more; those that steps read are held by their slot.
  void release_constants(const Node& node) {
    for (Value* input : node.inputs) {
      if (input == nullptr || !input->constant) continue;
      size_t& lowered = lowered_users_[input];
      if (++lowered == input->users.size() && !plan_.graph.is_output(input)) {
        input->constant.reset();
      }
    }
  }

  // Outputs are written where the caller wants them, unless they are inputs, constants, or already
  // an output under another name.
  void place_outputs() {
    for (const Value* output : plan_.graph.outputs()) {
      const Slot slot = slot_of(output);
      if (output->constant) plan_.slots[slot].constant = *output->constant;
      SlotInfo& root = plan_.slots[plan_.slots[slot].root];
      const size_t index = plan_.outputs.size();
      plan_.outputs.push_back(slot);
      if (root.home == SlotInfo::Home::Arena) {
        root.home = SlotInfo::Home::Output;
        root.index = index;
      } else {
        plan_.copies.push_back({slot, index});
      }
    }
  }

  void find_lives() {
    std::vector<bool> seen(plan_.slots.size());
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const auto touch = [&](Slot slot) {
        const Slot root = plan_.slots[slot].root;
        if (!seen[root]) plan_.slots[root].first_step = s;
        seen[root] = true;
        plan_.slots[root].last_step = s;
      };
      for (const Slot slot : plan_.steps[s]->reads) touch(slot);
      for (const Slot slot : plan_.steps[s]->writes) touch(slot);
    }
    for (const OutputCopy& copy : plan_.copies) {
      plan_.slots[plan_.slots[copy.from].root].last_step = plan_.steps.size();
    }
  }

  // The steps of a stage run side by side: all they read and write lives as long as they do, and
  // none writes over what another reads.
  void join(const Stage& stage) {
    const auto live = [&](Slot slot) {
      SlotInfo& root = plan_.slots[root_of(slot)];
      root.first_step = std::min(root.first_step, stage.first_step);
      root.last_step = std::max(root.last_step, stage.last_step());
    };
    for (size_t s = stage.first_step; s <= stage.last_step(); ++s) {
      Step& step = *plan_.steps[s];
      std::ranges::for_each(step.reads, live);
      std::ranges::for_each(step.writes, live);
      step.in_place = Step::kNone;
    }
    if (stage.chain != nullptr) make_links(stage);
    if (stage.followed) make_follower(stage);
  }

  // The parts of a chain take turns in one scratch memory.
  void make_links(const Stage& stage) {
    const Chain& chain = *stage.chain;
    size_t scratch_bytes = 0;
    for (size_t part = 0; part < chain.parts(); ++part) {
      const Step& step = *plan_.steps[stage.first_step + part];
      scratch_bytes = std::max(scratch_bytes, step.scratch_bytes);
      if (part + 1 < chain.parts()) keep_rows(step.writes[0], chain.buffer_bytes(part));
    }
    for (size_t part = 0; part < chain.parts(); ++part) {
      plan_.steps[stage.first_step + part]->scratch_bytes = scratch_bytes;
    }
  }

  // What follows may write over its other operand, if that is the only one to read it here.
  void make_follower(const Stage& stage) {
    auto& leader = dynamic_cast<LeadingStep&>(*plan_.steps[stage.last_step() - 1]);
    Step& step = *plan_.steps[stage.last_step()];
    leader.follower = dynamic_cast<const Follower*>(&step);
    keep_rows(leader.writes[0], leader.block_bytes());
    for (size_t i = 0; i < step.reads.size(); ++i) {
      if (readers(stage, step.reads[i]) == 1 && step.reads[i] != leader.writes[0])
        step.in_place = i;
    }
  }

  size_t readers(const Stage& stage, Slot slot) {
    size_t count = 0;
    for (size_t s = stage.first_step; s <= stage.last_step(); ++s) {
      for (const Slot read : plan_.steps[s]->reads) count += root_of(read) == root_of(slot) ? 1 : 0;
    }
    return count;
  }

  void keep_rows(Slot slot, size_t bytes_of_worker) {
    SlotInfo& link = plan_.slots[slot];
    link.home = SlotInfo::Home::Rows;
    link.bytes = bytes_of_worker * static_cast<size_t>(plan_.options.threads);
  }

  // A step that may write over an operand does so when it is the operand's last reader.
  void share_in_place() {
    for (const Stage& stage : plan_.stages) share_in_place(stage);
    for (SlotInfo& slot : plan_.slots) slot.root = root_of(slot.root);
  }

  void share_in_place(const Stage& stage) {
    for (size_t s = stage.first_step; s <= stage.last_step(); ++s) {
      const Step& step = *plan_.steps[s];
      if (step.in_place == Step::kNone) continue;
      const Slot from = root_of(step.reads[step.in_place]);
      const Slot to = root_of(step.writes[0]);
      SlotInfo& source = plan_.slots[from];
      const SlotInfo& target = plan_.slots[to];
      const bool both_in_arena =
          source.home == SlotInfo::Home::Arena && target.home == SlotInfo::Home::Arena;
      const bool both_whole = plan_.slots[step.reads[step.in_place]].bytes == source.bytes &&
                              plan_.slots[step.writes[0]].bytes == target.bytes;
      const bool twice =
          std::ranges::count_if(step.reads, [&](Slot slot) { return root_of(slot) == from; }) > 1;
      if (!both_in_arena || !both_whole || twice || source.last_step != s ||
          target.first_step != stage.first_step || source.bytes != target.bytes || from == to) {
        continue;
      }
      source.last_step = target.last_step;
      plan_.slots[to].root = from;
    }
  }

  // Follows roots that got roots of their own, and shortens the way for the next time.
  Slot root_of(Slot slot) {
    Slot root = slot;
    while (plan_.slots[root].root != root) root = plan_.slots[root].root;
    while (plan_.slots[slot].root != root) slot = std::exchange(plan_.slots[slot].root, root);
    return root;
  }

  void place_in_arena() {
    std::vector<BufferLife> lives;
    std::vector<size_t*> offsets;
    for (Slot slot = 0; slot < plan_.slots.size(); ++slot) {
      SlotInfo& info = plan_.slots[slot];
      if (info.root != slot || !info.in_arena()) continue;
      lives.push_back({info.bytes, info.first_step, info.last_step});
      offsets.push_back(&info.offset);
    }
    plan_.largest_live_bytes = largest_live_bytes(lives);
    const auto threads = static_cast<size_t>(plan_.options.threads);
    for (const Stage& stage : plan_.stages) {
      Step& step = *plan_.steps[stage.first_step];
      const size_t bytes = step.all_scratch_bytes(threads);
      if (bytes == 0) continue;
      lives.push_back({bytes, stage.first_step, stage.last_step()});
      offsets.push_back(&step.scratch_offset);
    }
    const MemoryPlan memory = plan_memory(lives);
    for (size_t i = 0; i < offsets.size(); ++i) *offsets[i] = memory.offsets[i];
    for (const Stage& stage : plan_.stages) {
      const size_t offset = plan_.steps[stage.first_step]->scratch_offset;
      for (size_t s = stage.first_step; s <= stage.last_step(); ++s) {
        plan_.steps[s]->scratch_offset = offset;
      }
    }
    plan_.arena_bytes = memory.bytes;
  }

  Plan& plan_;
  const ChainLimits& limits_;
  std::unordered_map<const Value*, size_t> lowered_users_;
  std::vector<Slot> reads_;  // Of the step being made.
  std::vector<Slot> writes_;
};

}  // namespace

Result<std::unique_ptr<Plan>> make_plan(Graph graph, const CompileOptions& options,
                                        const ChainLimits& limits) {
  auto plan = std::make_unique<Plan>();
  plan->graph = std::move(graph);
  HONE_TRY(plan->options, prepare_graph(plan->graph, options, {.parts_channels = true}));
  HONE_RETURN_IF_ERROR(PlanMaker(*plan, limits).make());
  return plan;
}

}  // namespace hone::cpu
