#include <algorithm>
#include <unordered_set>

#include "hone/targets/c_code/emitter.h"
#include "hone/targets/common/byte_table.h"
#include "hone/targets/common/memory_planner.h"
#include "hone/targets/common/prepare_graph.h"

namespace hone::c_code {
namespace {

constexpr size_t kArenaAlignment = 8;

class PlanMaker {
 public:
  explicit PlanMaker(Plan& plan) : plan_(plan) {}

  Status make() {
    HONE_RETURN_IF_ERROR(place_outside());
    for (const Node* node : plan_.graph.nodes()) {
      if (is_view(*node) || outside_.contains(node)) continue;
      HONE_TRY(Step step, emit(*node).in(str("layer '", node->name, "' (", node->op, ")")));
      step.node = node;
      for (const Array& array : step.arrays) plan_.constant_bytes += bytes_of(array);
      plan_.steps.push_back(std::move(step));
    }
    place_in_arena();
    return Done{};
  }

 private:
  // The value whose memory this one has: that of what a view looks at.
  static const Value* root_of(const Value* value) {
    while (value->producer != nullptr && is_view(*value->producer)) {
      value = value->producer->inputs[0];
    }
    return value;
  }

  static bool changes_type(const Node* node) {
    return node != nullptr && (node->op == "requantize" || node->op == "quantize_linear" ||
                               node->op == "dequantize_linear");
  }

  // Floats that the graph only makes int8 of are the caller's to make such.
  const Value* inside_of_input(const Value* input) {
    if (input->type.tensor.dtype != DType::F32 || input->users.size() != 1) return input;
    const Node* reader = input->users[0].node;
    if (!changes_type(reader) || !check_int8(reader->outputs[0]).ok()) return input;
    outside_.insert(reader);
    return reader->outputs[0];
  }

  // The int8 values that floats at the end are made of. A softmax of floats there is left out: it
  // would be the only arithmetic of floats.
  void give_integers() {
    for (size_t i = 0; i < plan_.graph.outputs().size(); ++i) {
      Value* output = plan_.graph.outputs()[i];
      plan_.output_names.push_back(output->name);
      if (output->type.tensor.dtype != DType::F32) continue;
      Node* softmax = output->producer;
      const bool after = softmax != nullptr && softmax->op == "softmax";
      Node* maker = after ? softmax->inputs[0]->producer : softmax;
      if (!changes_type(maker) || !check_int8(maker->inputs[0]).ok()) continue;
      plan_.graph.set_output(i, maker->inputs[0]);
      if (after) {
        plan_.notes.push_back(str("output '", output->name,
                                  "' is given as what its softmax reads: ",
                                  "classes are in the same order, probabilities are the caller's"));
        erase_unread(softmax);
      }
      erase_unread(maker);
    }
  }
  void erase_unread(Node* node) {
    const Value* made = node->outputs[0];
    if (made->users.empty() && !plan_.graph.is_output(made)) plan_.graph.erase(node, "integers");
  }

  // Inputs and outputs are the caller's.
  Status place_outside() {
    for (const Value* given : plan_.graph.inputs()) {
      const Value* input = inside_of_input(given);
      HONE_RETURN_IF_ERROR(check_int8(input));
      plan_.places[input] = {.in = Place::In::Input, .index = plan_.inputs.size()};
      plan_.inputs.push_back(input);
    }
    give_integers();
    for (const Value* output : plan_.graph.outputs()) {
      const size_t i = plan_.outputs.size();
      HONE_RETURN_IF_ERROR(check_int8(output));
      plan_.outputs.push_back(output);
      const Value* root = root_of(output);
      const Place place{.in = Place::In::Output, .index = i};
      if (root->constant || !plan_.places.try_emplace(root, place).second) {
        return unsupported("output '", output->name, "' is not computed by a layer of its own");
      }
    }
    return Done{};
  }

  Result<Step> emit(const Node& node) const {
    const auto& emitters = all_emitters();
    const auto found = std::ranges::find(emitters, node.op, &EmitterDef::op);
    if (found != emitters.end()) return (*found)->emit(node, plan_.options);
    return table_step(node);
  }

  // Whatever is a function of one byte.
  Result<Step> table_step(const Node& node) const {
    HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
    const auto table = byte_table(node, plan_.options.eval);
    if (!table) return unsupported("no kernel in C computes it");
    std::vector<int8_t> values;
    for (const uint8_t byte : *table) values.push_back(static_cast<int8_t>(byte));
    return Step{.calls = {{"hone_look_up",
                           {str(node.outputs[0]->type.tensor.elements()), "c0", "x0", "y"}}},
                .arrays = {values},
                .reads = {node.inputs[0]},
                .write = node.outputs[0],
                .in_place = true};
  }

  // The memory that a value has: that of what a view looks at, or of what it is written over.
  const Value* memory_of(const Value* value) const {
    const Value* root = root_of(value);
    const auto over = written_over_.find(root);
    return over == written_over_.end() ? root : over->second;
  }

  // Results of steps that allow it lie where their first operand did, if nobody reads that later.
  void write_over() {
    std::unordered_map<const Value*, size_t> last;  // By memory: the step that reads it last.
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      for (const Value* value : plan_.steps[s].reads) last[root_of(value)] = s;
    }
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const Step& step = plan_.steps[s];
      if (!step.in_place) continue;
      const Value* made = root_of(step.write);
      const Value* from = memory_of(step.reads[0]);
      const bool outside = plan_.places.contains(from) || plan_.places.contains(made);
      if (outside || last[from] != s || from->type.tensor.bytes() != made->type.tensor.bytes()) {
        continue;
      }
      written_over_[made] = from;
      last[from] = last[made];
    }
  }

  void place_in_arena() {
    write_over();
    std::vector<const Value*> values;
    std::vector<BufferLife> lives;
    std::unordered_map<const Value*, size_t> known;
    const auto touch = [&](const Value* value, size_t step) {
      const Value* memory = memory_of(value);
      if (plan_.places.contains(memory)) return;
      const auto [found, added] = known.try_emplace(memory, lives.size());
      if (added) {
        values.push_back(memory);
        lives.push_back({memory->type.tensor.bytes(), step, step});
      }
      lives[found->second].last = step;
    };
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      for (const Value* value : plan_.steps[s].reads) touch(value, s);
      touch(plan_.steps[s].write, s);
    }
    const size_t tensors = lives.size();
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      lives.push_back({plan_.steps[s].scratch_bytes, s, s});
    }
    const MemoryPlan memory = plan_memory(lives, kArenaAlignment);
    for (size_t i = 0; i < tensors; ++i) plan_.places[values[i]] = {.offset = memory.offsets[i]};
    plan_.scratch.assign(memory.offsets.begin() + static_cast<std::ptrdiff_t>(tensors),
                         memory.offsets.end());
    plan_.arena_bytes = std::max(memory.bytes, kArenaAlignment);
    for (const Step& step : plan_.steps) {
      for (const Value* value : step.reads) plan_.places[value] = plan_.places[memory_of(value)];
      plan_.places[step.write] = plan_.places[memory_of(step.write)];
    }
  }

  Plan& plan_;
  std::unordered_set<const Node*> outside_;                      // What the caller does.
  std::unordered_map<const Value*, const Value*> written_over_;  // By root of the result.
};

}  // namespace

size_t ram_bytes(const Plan& plan) {
  size_t bytes = plan.arena_bytes;
  for (const Value* input : plan.inputs) bytes += input->type.tensor.bytes();
  for (const Value* output : plan.outputs) bytes += output->type.tensor.bytes();
  return bytes;
}

Result<Plan> make_plan(Graph graph, const CompileOptions& options) {
  Plan plan;
  plan.graph = std::move(graph);
  HONE_TRY(plan.options, prepare_graph(plan.graph, options));
  slice_splits(plan.graph);
  drop_channels(plan.graph, plan.options);
  HONE_RETURN_IF_ERROR(PlanMaker(plan).make());
  return plan;
}

}  // namespace hone::c_code
