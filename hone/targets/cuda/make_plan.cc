// Node by node: views share their input's memory, nodes that kernels take become steps of the GPU,
// the rest are the host's. Then what crosses is found, and every value gets its place.

#include <algorithm>
#include <unordered_set>

#include "hone/targets/common/memory_planner.h"
#include "hone/targets/common/prepare_graph.h"
#include "hone/targets/cuda/attention_shape.h"
#include "hone/targets/cuda/concat_parts.h"
#include "hone/targets/cuda/expand_attention.h"
#include "hone/targets/cuda/fuse_attention.h"
#include "hone/targets/cuda/join_products.h"
#include "hone/targets/cuda/map.h"
#include "hone/targets/cuda/map_i8.h"
#include "hone/targets/cuda/pads.h"
#include "hone/targets/cuda/pair_pixels.h"
#include "hone/targets/cuda/plain_products.h"
#include "hone/targets/cuda/plan.h"
#include "hone/targets/cuda/weighted_i8.h"

namespace hone::cuda {
namespace {

// Of addresses on the GPU: what one access of a warp can take.
constexpr size_t kConstantAlignment = 256;

size_t aligned_constant(size_t bytes) {
  return (bytes + kConstantAlignment - 1) / kConstantAlignment * kConstantAlignment;
}

class PlanMaker final : public StepBuilder {
 public:
  explicit PlanMaker(Plan& plan) : plan_(plan) {}

  Status make() {
    for (const Value* input : plan_.graph.inputs()) plan_.inputs.push_back(slot_of(input));
    find_inlined();
    find_rows();
    find_split_rows();
    place_parts();
    for (Node* node : plan_.graph.nodes()) HONE_RETURN_IF_ERROR(add(*node));
    for (const Value* output : plan_.graph.outputs()) plan_.outputs.push_back(slot_of(output));
    make_stages();
    place_constants();
    place_in_arena();
    set_launches();
    return Done{};
  }

  const CompileOptions& options() const override { return plan_.options; }
  const GpuInfo& gpu() const override { return plan_.gpu; }
  bool planned(const Value* value) const override { return is_plannable(*value); }

  Slot read(const Value* value) override {
    const Slot slot = slot_of(value);
    reads_.push_back(slot);
    return slot;
  }

  Slot write(const Value* value) override {
    const Slot slot = slot_of(value);
    writes_.push_back(slot);
    return slot;
  }

  Slot packed(Tensor weights) override {
    const Slot slot = plan_.slots.size();
    SlotInfo info;
    info.type = weights.type();
    info.bytes = weights.bytes().size();
    info.root = slot;
    info.constant = std::move(weights);
    weight_bytes_ += info.bytes;
    plan_.slots.push_back(std::move(info));
    return slot;
  }

  Slot scratch(size_t bytes) override {
    const Slot slot = plan_.slots.size();
    SlotInfo info;
    info.type = TensorType{DType::U8, {static_cast<int64_t>(bytes)}};
    info.bytes = bytes;
    info.root = slot;
    plan_.slots.push_back(std::move(info));
    writes_.push_back(slot);
    return slot;
  }

  const Node* inlined(const Value* value) const override {
    return value->producer != nullptr && inlined_.contains(value->producer) ? value->producer
                                                                            : nullptr;
  }

  int64_t row_pitch(const Value* value) const override {
    const auto found = concat_.parts.find(value);
    if (found != concat_.parts.end()) return found->second.pitch;
    const Shape& shape = value->type.tensor.shape;
    return shape.empty() ? 1 : shape.back();
  }

  int64_t row_offset(const Value* value) const override {
    const auto found = concat_.parts.find(value);
    return found == concat_.parts.end() ? 0 : found->second.offset;
  }

  std::optional<RowsOf> split_rows(const Value* value) const override {
    const auto found = split_rows_.find(value);
    return found == split_rows_.end() ? std::nullopt : std::optional(found->second);
  }

  bool in_place(const Value* value) const override {
    const auto found = concat_.in_place.find(value);
    return found != concat_.in_place.end() && found->second;
  }

  std::optional<RowsOf> rows_of(const Value* value) const override {
    while (value->producer != nullptr && is_view(*value->producer)) {
      value = value->producer->inputs[0];
    }
    const auto found = rows_of_.find(value);
    return found == rows_of_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  Slot slot_of(const Value* value) {
    const auto [found, added] = plan_.slot_of.try_emplace(value, plan_.slots.size());
    if (!added) return found->second;
    SlotInfo info;
    info.value = value;
    info.root = found->second;
    info.boxed = !is_plannable(*value);
    info.type = value->type.tensor;
    if (!info.boxed) info.bytes = info.type.bytes();
    if (value->constant) info.constant = *value->constant;
    plan_.slots.push_back(std::move(info));
    return found->second;
  }

  bool is_read_once(const Value& value) const {
    return value.users.size() == 1 && !plan_.graph.is_output(&value);
  }

  // An element-wise node is computed where it is read when one such node, of the same extents, is
  // all that reads it.
  bool joins(const Node& node, const Node& reader) const {
    if (!is_map(node, *this) || !is_map(reader, *this)) return false;
    return node.outputs[0]->users[0].input == 0 || kind_of(reader) == OpKind::Broadcast;
  }
  // The same of integers, where the values may come from a product, but from one only.
  bool joins_i8(const Node& node, const Node& reader) {
    if (!is_map_i8(reader, *this)) return false;
    if (is_map_i8(node, *this)) return true;
    const Node* root = &reader;
    while (inlined_.contains(root)) root = root->outputs[0]->users[0].node;
    return weighted_i8(node, *this) && with_product_.insert(root).second;
  }

  // From the last node to the first, so that the reader of a node knows where it is computed.
  void find_inlined() {
    const std::vector<Node*> nodes = plan_.graph.nodes();
    for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
      const Node& node = **at;
      const Value& result = *node.outputs[0];
      if (inlined_.contains(&node)) continue;
      if (const auto weighted = weighted_i8(node, *this)) {
        const auto alone = [&](const Value& value) { return is_read_once(value); };
        for (const Node* feeding : feeding_nodes(*weighted, *this, alone)) inlined_.insert(feeding);
      }
      if (!is_read_once(result)) continue;
      const Node& reader = *result.users[0].node;
      if (reader.outputs[0]->type.tensor.shape != result.type.tensor.shape) continue;
      if (joins(node, reader) || joins_i8(node, reader)) inlined_.insert(&node);
    }
    for (Node* node : nodes) {
      if (can_pad(*node, *this)) inline_before(*node);
    }
    for (Node* node : nodes) {
      // In running order, so a whole tree's layers arrive at its root.
      if (inlined_.contains(node)) {
        plan_.graph.inherit_origins(node->outputs[0]->users[0].node, *node);
      }
    }
  }

  // Transposes and casts that only a pad reads.
  void inline_before(const Node& pad) {
    const Value* value = pad.inputs[0];
    bool casts = false;  // Two of them round twice.
    while (value->producer != nullptr && is_read_once(*value)) {
      const Node* node = value->producer;
      const bool moves = node->op == "transpose" || (node->op == "cast" && !casts);
      casts = casts || node->op == "cast";
      const Node* before = node->inputs[0]->producer;
      if (!moves || !is_float_tensor(node->inputs[0], *this) || inlined_.contains(before)) break;
      inlined_.insert(node);
      value = node->inputs[0];
    }
  }

  // Slices along the last axis that only attentions read: those find them in the whole.
  void find_rows() {
    for (const Node* node : plan_.graph.nodes()) {
      if (node->op != "slice") continue;
      const auto rows = rows_of_slice(*node);
      if (rows && only_attentions_read(*node->outputs[0])) rows_of_[node->outputs[0]] = *rows;
    }
  }

  // Parts of concatenations share memory with the whole from the beginning.
  void place_parts() {
    concat_ = find_concat_parts(plan_.graph, *this);
    for (const auto& [value, part] : concat_.parts) {
      const Slot whole = slot_of(part.whole);
      const Slot slot = slot_of(value);
      const auto bits = static_cast<size_t>(bits_of(value->type.tensor.dtype));
      plan_.slots[slot].root = plan_.slots[whole].root;
      plan_.slots[slot].within = static_cast<size_t>(part.offset) * bits / 8;
    }
  }

  // A concatenation that others write whole: it stands under the last of its parts.
  bool is_written_in_parts(const Node& node) {
    const auto placed = [&](const Value* input) {
      return in_place(input) || input->type.tensor.elements() == 0;
    };
    if (node.op != "concat" || !takes_concat(node, *this)) return false;
    if (!std::ranges::all_of(node.inputs, placed)) return false;
    const Value* last = node.inputs.back();
    for (const Value* input : node.inputs) last = in_place(input) ? input : last;
    while (is_view(*last->producer)) last = last->producer->inputs[0];
    plan_.graph.inherit_origins(last->producer, node);
    return true;
  }

  // Parts of a split along the last axis that only element-wise nodes read: those find them in the
  // whole, and nothing is split.
  void find_split_rows() {
    for (const Node* node : plan_.graph.nodes()) {
      if (node->op != "split" || !is_float_tensor(node->inputs[0], *this)) continue;
      const TensorType& x = node->inputs[0]->type.tensor;
      const int64_t axis = NodeContext(*find_op(node->op), *node).integer("axis");
      const auto read_by_maps = [&](const Value* part) { return only_maps_read(*part); };
      if ((axis != -1 && axis != x.rank() - 1) ||
          !std::ranges::all_of(node->outputs, read_by_maps)) {
        continue;
      }
      int64_t offset = 0;
      for (const Value* part : node->outputs) {
        split_rows_[part] = {node->inputs[0], offset, x.shape.back()};
        offset += part->type.tensor.shape.back();
        for (const Use& use : part->users) plan_.graph.inherit_origins(use.node, *node);
      }
    }
  }

  // A step of its own, or part of one; casts can be part of a pad instead.
  bool becomes_map(const Node& node) const {
    if (!is_map(node, *this)) return false;
    return !inlined_.contains(&node) || becomes_map(*node.outputs[0]->users[0].node);
  }

  // As it is: what is broadcast has other rows.
  bool only_maps_read(const Value& value) const {
    if (plan_.graph.is_output(&value) || value.users.empty()) return false;
    if (!is_float_tensor(&value, *this)) return false;
    return std::ranges::all_of(value.users, [&](const Use& use) {
      return becomes_map(*use.node) &&
             (use.input == 0 || kind_of(*use.node) == OpKind::Broadcast) &&
             use.node->outputs[0]->type.tensor.shape == value.type.tensor.shape;
    });
  }

  static std::optional<RowsOf> rows_of_slice(const Node& slice) {
    const TensorType& x = slice.inputs[0]->type.tensor;
    const TensorType& y = slice.outputs[0]->type.tensor;
    if (!x.known() || !y.known() || x.rank() != 2 || x.shape[0] != y.shape[0]) return std::nullopt;
    const auto one = [&](size_t input) -> std::optional<int64_t> {
      const Value* value = input_of(slice, input);
      if (value == nullptr || !value->constant || value->constant->elements() != 1) {
        return std::nullopt;
      }
      return to_ints(*value->constant)[0];
    };
    constexpr int64_t kWhole = 8;  // Elements of 16 bytes.
    const auto begin = one(1);
    if (!begin || *begin < 0 || one(3) != 1 || input_of(slice, 4) != nullptr ||
        *begin % kWhole != 0 || x.shape[1] % kWhole != 0) {
      return std::nullopt;
    }
    return RowsOf{slice.inputs[0], *begin, x.shape[1]};
  }

  // Through views, as one of the three operands.
  bool only_attentions_read(const Value& value) const {
    if (plan_.graph.is_output(&value)) return false;
    return std::ranges::all_of(value.users, [&](const Use& use) {
      if (is_view(*use.node)) return only_attentions_read(*use.node->outputs[0]);
      return use.node->op == "attention" && use.input < 3 &&
             attention_shape(*use.node, *this).has_value();
    });
  }

  // Of the node and those that are computed where it reads them.
  NodeCost cost_of(const Node& node) const {
    NodeCost cost = node_cost(node);
    for (const Value* input : node.inputs) {
      const Node* from = input == nullptr ? nullptr : inlined(input);
      if (from == nullptr) continue;
      const NodeCost part = cost_of(*from);
      cost.macs += part.macs;
      cost.flops += part.flops;
      cost.weight_bytes += part.weight_bytes;
      cost.stored_bytes += part.stored_bytes;
      cost.read_bytes += part.read_bytes - std::min<uint64_t>(cost.read_bytes, part.written_bytes);
    }
    return cost;
  }

  Status add(const Node& node) {
    if (inlined_.contains(&node) || rows_of_.contains(node.outputs[0]) ||
        split_rows_.contains(node.outputs[0])) {
      return Done{};
    }
    if (is_view(node)) {
      const Slot from = slot_of(node.inputs[0]);
      const Slot to = slot_of(node.outputs[0]);
      plan_.slots[to].root = plan_.slots[from].root;
      plan_.slots[to].within = plan_.slots[from].within;
      return Done{};
    }
    if (is_written_in_parts(node)) return Done{};
    std::optional<Step> step = lower(node);
    std::optional<HostProgram> host;
    if (!step) {
      forget_operands();
      HONE_TRY(host, HostProgram::make(node, plan_.options));
      step = host_step(node, *host);
    }
    if (step->node != nullptr && step->node != &node) name_by(*step, node);
    if (step->node == nullptr) step->node = &node;
    step->cost = cost_of(node);
    step->reads = std::move(reads_);
    step->writes = std::move(writes_);
    step->weight_bytes = weight_bytes_;
    forget_operands();
    plan_.steps.push_back(*std::move(step));
    plan_.host_nodes.push_back(std::move(host));
    return Done{};
  }

  // The node that a step is named by stands for all that the step computes.
  void name_by(const Step& step, const Node& root) {
    for (Node* node : plan_.graph.nodes()) {
      if (node == step.node) return plan_.graph.inherit_origins(node, root);
    }
  }

  std::optional<Step> lower(const Node& node) {
    const bool nothing =
        std::ranges::any_of(node.outputs, [](const Value* output) { return is_empty(*output); });
    if (nothing) return std::nullopt;
    if (is_map(node, *this)) return map_step(node, *this);
    if (is_map_i8(node, *this)) return map_i8_step(node, *this);
    for (const LoweringDef* lowering : all_lowerings()) {
      if (lowering->op != node.op) continue;
      forget_operands();
      if (std::optional<Step> step = lowering->lower(node, *this)) return step;
    }
    return std::nullopt;
  }

  Step host_step(const Node& node, const HostProgram& host) {
    for (const Value* input : host.inputs()) read(input);
    for (const Value* output : node.outputs) write(output);
    Step step;
    const std::vector<StepInfo> steps = host.program().steps();
    step.kind = steps.size() == 1 ? steps[0].kind : reference_kind(node);
    step.kind.variant = kernel_name(step.kind);
    step.kind.work = "host";
    step.kind.on_host = true;
    step.reason = "no kernel of the cuda target takes it";
    return step;
  }

  void forget_operands() {
    reads_.clear();
    writes_.clear();
    weight_bytes_ = 0;
  }

  SlotInfo& root(Slot slot) { return plan_.slots[plan_.slots[slot].root]; }

  // Where each value is while the stages are walked.
  void make_stages() {
    for (const Slot input : plan_.inputs) root(input).on_host = true;
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const Step& step = plan_.steps[s];
      if (plan_.stages.empty() || plan_.stages.back().host != step.on_host()) {
        plan_.stages.push_back({.host = step.on_host(), .first = s});
      }
      Stage& stage = plan_.stages.back();
      ++stage.count;
      for (const Slot slot : step.reads) bring(slot, stage);
      for (const Slot slot : step.writes) leave(slot, plan_.stages.size() - 1);
    }
    for (const Slot output : plan_.outputs) {
      if (!plan_.slots[output].boxed && !plan_.slots[output].constant) to_host(output);
    }
    find_lives();
  }

  // Before a step reads it.
  void bring(Slot slot, Stage& stage) {
    SlotInfo& info = root(slot);
    if (info.boxed || info.constant) {
      if (info.constant && !stage.host) info.on_gpu = true;
      return;
    }
    if (stage.host) {
      to_host(slot);
    } else if (!info.on_gpu) {
      info.on_gpu = true;
      stage.to_gpu.push_back(plan_.slots[slot].root);
    }
  }

  // Behind the stage that wrote it.
  void to_host(Slot slot) {
    SlotInfo& info = root(slot);
    if (info.on_host) return;
    info.on_host = true;
    const auto writer = writers_.find(plan_.slots[slot].root);
    HONE_CHECK(writer != writers_.end(), "a value that nothing writes");
    plan_.stages[writer->second].to_host.push_back(plan_.slots[slot].root);
  }

  void leave(Slot slot, size_t stage) {
    SlotInfo& info = root(slot);
    (plan_.stages[stage].host ? info.on_host : info.on_gpu) = true;
    writers_[plan_.slots[slot].root] = stage;
  }

  void find_lives() {
    std::vector<bool> seen(plan_.slots.size());
    const auto touch = [&](Slot slot, size_t step) {
      SlotInfo& info = root(slot);
      if (!seen[plan_.slots[slot].root]) info.first_step = step;
      seen[plan_.slots[slot].root] = true;
      info.last_step = std::max(info.last_step, step);
    };
    for (const Stage& stage : plan_.stages) {
      for (const Slot slot : stage.to_gpu) touch(slot, stage.first);
      for (size_t s = stage.first; s < stage.first + stage.count; ++s) {
        for (const Slot slot : plan_.steps[s].reads) touch(slot, s);
        for (const Slot slot : plan_.steps[s].writes) touch(slot, s);
      }
      for (const Slot slot : stage.to_host) touch(slot, stage.first + stage.count - 1);
    }
  }

  void place_constants() {
    for (SlotInfo& info : plan_.slots) {
      if (!info.constant || (info.value != nullptr && !info.on_gpu)) continue;
      info.on_gpu = true;
      info.offset = plan_.constant_bytes;
      plan_.constant_bytes += aligned_constant(info.bytes);
    }
  }

  // Weights that the cache does not hold from run to run come from memory.
  void set_launches() {
    if (plan_.constant_bytes <= plan_.gpu.l2_bytes) return;
    for (Step& step : plan_.steps) {
      for (Variant& variant : step.variants) {
        for (Launch& launch : variant.launches) {
          if (!launch.library) launch.kernel.text.insert(0, "#define LAUNCH_EARLY\n");
        }
      }
    }
  }

  void place_in_arena() {
    std::vector<BufferLife> lives;
    std::vector<size_t*> offsets;
    for (Slot slot = 0; slot < plan_.slots.size(); ++slot) {
      SlotInfo& info = plan_.slots[slot];
      if (info.root != slot || !info.on_gpu || info.constant) continue;
      lives.push_back({info.bytes, info.first_step, info.last_step});
      offsets.push_back(&info.offset);
    }
    const MemoryPlan memory = plan_memory(lives);
    for (size_t i = 0; i < offsets.size(); ++i) *offsets[i] = memory.offsets[i];
    plan_.arena_bytes = memory.bytes;
    plan_.largest_live_bytes = largest_live_bytes(lives);
  }

  Plan& plan_;
  std::unordered_set<const Node*> inlined_;
  std::unordered_map<const Value*, RowsOf> rows_of_;
  std::unordered_map<const Value*, RowsOf> split_rows_;
  ConcatParts concat_;
  std::unordered_set<const Node*> with_product_;  // Roots of trees that a product is part of.
  std::unordered_map<Slot, size_t> writers_;      // By root: the stage that wrote it.
  std::vector<Slot> reads_;                       // Of the step being made.
  std::vector<Slot> writes_;
  size_t weight_bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<Plan>> make_plan(Graph graph, const CompileOptions& options,
                                        const GpuInfo& gpu) {
  auto plan = std::make_unique<Plan>();
  plan->graph = std::move(graph);
  plan->gpu = gpu;
  HONE_TRY(plan->options,
           prepare_graph(plan->graph, options, {.wide_sums = true, .bfloats = true}));
  PlanMaker maker(*plan);
  fuse_attention(plan->graph);
  expand_attention(plan->graph,
                   [&](const Node& node) { return attention_shape(node, maker).has_value(); });
  plain_products(plan->graph);
  join_products(plan->graph);
  pair_pixels(plan->graph);
  HONE_RETURN_IF_ERROR(maker.make());
  return plan;
}

}  // namespace hone::cuda
