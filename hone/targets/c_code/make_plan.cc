#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "hone/base/short_name.h"
#include "hone/targets/c_code/choose_chains.h"
#include "hone/targets/c_code/emitter.h"
#include "hone/targets/c_code/hvx_layer.h"
#include "hone/targets/common/byte_table.h"
#include "hone/targets/common/memory_planner.h"
#include "hone/targets/common/prepare_graph.h"

namespace hone::c_code {
namespace {

constexpr size_t kHandleBytes = 4;  // A pointer.

// "layer 'conv1' (conv)".
std::string label_of(const Node& node) {
  const std::string& name = node.name.empty() ? node.outputs[0]->name : node.name;
  return str("layer '", short_name(name), "' (", node.op, ")");
}

// Tensors in the arena, by what has memory of its own.
struct Lives {
  std::vector<const Value*> values = {};
  std::vector<BufferLife> buffers = {};
  std::unordered_map<const Value*, size_t> index = {};

  void touch(const Value* memory, size_t first, size_t last) {
    const auto [found, added] = index.try_emplace(memory, buffers.size());
    if (added) {
      values.push_back(memory);
      buffers.push_back({memory->type.tensor.bytes(), first, last});
    }
    BufferLife& life = buffers[found->second];
    life.first = std::min(life.first, first);
    life.last = std::max(life.last, last);
  }
  std::optional<size_t> find(const Value* memory) const {
    const auto found = index.find(memory);
    return found == index.end() ? std::nullopt : std::optional(found->second);
  }
};

class PlanMaker {
 public:
  explicit PlanMaker(Plan& plan) : plan_(plan) {}

  Status make() {
    HONE_RETURN_IF_ERROR(place_outside());
    for (const Node* node : plan_.graph.nodes()) {
      if (is_view(*node) || outside_.contains(node)) continue;
      HONE_TRY(Step step, emit(*node).in(label_of(*node)));
      step.node = node;
      for (const Array& array : step.arrays) plan_.constant_bytes += bytes_of(array);
      plan_.steps.push_back(std::move(step));
    }
    if (plan_.steps.empty()) return unsupported("a network without layers of its own");
    outside_places_ = plan_.places;
    place_in_arena({});
    HONE_RETURN_IF_ERROR(check_vtcm());
    plan_.ram_without_rows = ram_bytes(plan_);
    const uint64_t allowed = plan_.options.firmware.max_ram;
    if (allowed > 0 && plan_.ram_without_rows > allowed) run_by_rows(allowed);
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

  // The same values as bytes without a sign: each is 128 more.
  static bool is_unsigned_form(const TensorType& type, const TensorType& int8) {
    return type.dtype == DType::U8 && type.quantized() && type.quant->per_tensor() &&
           type.quant->scale() == int8.quant->scale() &&
           type.quant->zero_point() == int8.quant->zero_point() + 128;
  }

  // Whether a value at the ends stands for those int8 values, so that the caller can change one into the other.
  static bool stands_for(const Value* end, const Value* inside) {
    if (!check_int8(inside).ok()) return false;
    const TensorType& type = end->type.tensor;
    return type.dtype == DType::F32 || is_unsigned_form(type, inside->type.tensor);
  }

  void note_unsigned(std::string_view end, const Value* value, std::string_view how) {
    if (value->type.tensor.dtype != DType::U8) return;
    plan_.notes.push_back(str(end, " '", value->name, "' is uint8 in the file, here int8: ", how));
  }

  // Floats or unsigned bytes that the graph only makes int8 of are the caller's to make such.
  const Value* inside_of_input(const Value* input) {
    if (input->users.size() != 1) return input;
    const Node* reader = input->users[0].node;
    if (!changes_type(reader) || !stands_for(input, reader->outputs[0])) return input;
    note_unsigned("input", input, "give 128 less");
    outside_.insert(reader);
    return reader->outputs[0];
  }

  // What makes floats of int8 for an output, with what there is behind it: a softmax, which would be the only
  // arithmetic of floats, and views.
  struct FloatEnd {
    Node* maker = nullptr;
    std::vector<Node*> behind = {};  // From the output on back.
    bool softmax = false;
  };
  static FloatEnd end_of(const Value* output) {
    FloatEnd end{.maker = output->producer};
    const auto step_back = [&end] {
      end.behind.push_back(end.maker);
      end.maker = end.maker->inputs[0]->producer;
    };
    const bool floats = output->type.tensor.dtype == DType::F32;
    if (const Node* softmax = floats ? last_softmax(output) : nullptr; softmax != nullptr) {
      while (end.maker != softmax) step_back();
      step_back();
      end.softmax = true;
    }
    while (end.maker != nullptr && is_view(*end.maker)) step_back();
    return end;
  }
  // What it gives may be rounded to bytes of any scale, and made floats again.
  static const Node* last_softmax(const Value* output) {
    const Node* node = output->producer;
    while (node != nullptr && (is_view(*node) || changes_type(node))) {
      node = node->inputs[0]->producer;
    }
    const bool is_one = node != nullptr && node->op == "softmax";
    return is_one && node->outputs[0]->type.tensor.dtype == DType::F32 ? node : nullptr;
  }

  // The int8 values that floats or unsigned bytes at the end are made of.
  void give_integers() {
    for (size_t i = 0; i < plan_.graph.outputs().size(); ++i) {
      Value* output = plan_.graph.outputs()[i];
      plan_.output_names.push_back(output->name);
      const FloatEnd end = end_of(output);
      if (!changes_type(end.maker) || !stands_for(output, end.maker->inputs[0])) continue;
      note_unsigned("output", output, "add 128");
      plan_.graph.set_output(i, end.maker->inputs[0]);
      if (end.softmax) {
        plan_.notes.push_back(str("output '", output->name,
                                  "' is given as what its softmax reads: ",
                                  "classes are in the same order, probabilities are the caller's"));
      }
      for (Node* node : end.behind) erase_unread(node);
      erase_unread(end.maker);
    }
  }
  void erase_unread(Node* node) {
    const Value* made = node->outputs[0];
    if (made->users.empty() && !plan_.graph.is_output(made)) plan_.graph.erase(node, "integers");
  }

  static bool is_computed_float(const Value* operand) {
    return operand != nullptr && !operand->constant && operand->type.tensor.dtype == DType::F32;
  }

  // Pairs with such a scale stay what they are.
  static Status check_scales(const Node& node) {
    const Tensor* scales = changes_type(&node) ? constant_of(node, 1) : nullptr;
    if (scales == nullptr || scales->dtype() != DType::F32) return Done{};
    for (const float scale : scales->data<float>()) {
      if (std::isfinite(scale) && scale > 0) continue;
      return unsupported("a scale of ", scale, ", expected a number above 0").in(label_of(node));
    }
    return Done{};
  }

  // The first layer that computes with floats; transposes are there for the sake of others.
  const Node* first_float_layer() const {
    for (const Node* node : plan_.graph.nodes()) {
      if (is_view(*node) || changes_type(node) || node->op == "transpose") continue;
      if (is_computed_float(node->outputs[0])) return node;
      if (std::ranges::any_of(node->inputs, is_computed_float)) return node;
    }
    return nullptr;
  }

  // A value at the ends that is no int8 is so because of some layer: of its pairs' scales, or since it
  // computes with floats; or else it is the one that reads or makes the value.
  Status blame(const Value* value) const {
    Status wrong = check_int8(value);
    if (wrong.ok()) return wrong;
    for (const Node* node : plan_.graph.nodes()) HONE_RETURN_IF_ERROR(check_scales(*node));
    const Node* layer = first_float_layer();
    if (layer == nullptr && value->users.empty()) layer = value->producer;
    if (layer == nullptr && !value->users.empty()) layer = value->users[0].node;
    if (layer == nullptr) return wrong;
    const auto floats = std::ranges::find_if(layer->inputs, is_computed_float);
    if (floats != layer->inputs.end()) value = *floats;
    return check_int8(value).in(label_of(*layer));
  }

  // Inputs and outputs are the caller's.
  Status place_outside() {
    if (plan_.graph.outputs().empty()) return unsupported("a network without outputs");
    for (const Value* given : plan_.graph.inputs()) {
      const Value* input = inside_of_input(given);
      HONE_RETURN_IF_ERROR(blame(input));
      if (!plan_.options.firmware.inputs_in_arena) {
        plan_.places[input] = {.in = Place::In::Input, .index = plan_.inputs.size()};
      }
      plan_.inputs.push_back(input);
    }
    give_integers();
    for (const Value* output : plan_.graph.outputs()) HONE_RETURN_IF_ERROR(place_output(output));
    return Done{};
  }

  Status place_output(const Value* output) {
    HONE_RETURN_IF_ERROR(blame(output));
    const Value* root = root_of(output);
    if (root->constant) return unsupported("output '", output->name, "' is a constant");
    if (std::ranges::find(plan_.inputs, root) != plan_.inputs.end()) {
      return unsupported("output '", output->name, "' is input '", root->name,
                         "', which the caller has: leave it out");
    }
    const Place place{.in = Place::In::Output, .index = plan_.outputs.size()};
    if (!plan_.places.try_emplace(root, place).second) {
      return unsupported("output '", output->name, "' has the bytes of another: leave it out");
    }
    plan_.outputs.push_back(output);
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
    const bool hvx = plan_.options.core.hvx;
    std::vector<int8_t> values(table->size());
    for (size_t e = 0; e < values.size(); ++e) {
      values[hvx ? hvx_table_place(e) : e] = static_cast<int8_t>((*table)[e]);
    }
    const TensorType& y = node.outputs[0]->type.tensor;
    return Step{.calls = {{hvx ? "hone_hvx_look_up" : "hone_look_up",
                           {count_text(y.shape, y.elements()), "c0", "x0", "y"}}},
                .arrays = {values},
                .reads = {node.inputs[0]},
                .write = node.outputs[0],
                .in_place = true,
                .rows = plain_rows(y.shape)};
  }

  // The memory that a value has: that of what a view looks at, or of what it is written over.
  const Value* memory_of(const Value* value) const {
    const Value* root = root_of(value);
    const auto over = written_over_.find(root);
    return over == written_over_.end() ? root : over->second;
  }

  // Results of steps that allow it lie where their first operand did, if nobody reads that later.
  void write_over() {
    written_over_.clear();
    std::unordered_map<const Value*, size_t> last;  // By memory: the step that reads it last.
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      for (const Value* value : plan_.steps[s].reads) last[root_of(value)] = s;
    }
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const Step& step = plan_.steps[s];
      if (!step.in_place || chain_at(plan_, s) != nullptr) continue;
      if (reads_of_others(step, plan_.parts[s])) continue;
      const Value* made = root_of(step.write);
      const Value* from = memory_of(step.reads[0]);
      const bool outside = outside_places_.contains(from) || outside_places_.contains(made);
      if (outside || last[from] != s || from->type.tensor.bytes() != made->type.tensor.bytes()) {
        continue;
      }
      written_over_[made] = from;
      last[from] = last[made];
    }
  }

  // What a chain reads and makes lives while all of it runs; what it hands on is not whole.
  Lives lives() const {
    Lives lives;
    const auto touch = [&](const Value* value, size_t first, size_t last) {
      const Value* memory = memory_of(value);
      if (!outside_places_.contains(memory)) lives.touch(memory, first, last);
    };
    for (const Value* input : plan_.inputs) touch(input, 0, 0);
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const RowChain* chain = chain_at(plan_, s);
      const size_t first = chain == nullptr ? s : chain->first;
      const size_t last = chain == nullptr ? s : chain->last;
      if (s == first) {
        for (const Value* value : plan_.steps[s].reads) touch(value, first, last);
      }
      if (s == last) touch(plan_.steps[s].write, first, last);
    }
    return lives;
  }

  // What the steps need where none writes over what it reads.
  ArenaUse arena_use() {
    plan_.chains.clear();
    written_over_.clear();
    const Lives all = lives();
    ArenaUse use{.lives = all.buffers};
    for (const Step& step : plan_.steps) {
      use.read.push_back(all.find(root_of(step.reads[0])));
      use.made.push_back(all.find(root_of(step.write)));
    }
    return use;
  }

  // Chains of least cost that bring it to what is allowed, or to the least that was found. Buffers cannot
  // always lie as close as steps need them to, so that the arena decides.
  void run_by_rows(size_t allowed) {
    const size_t others = ram_bytes(plan_) - plan_.arena_bytes;
    const size_t arena = allowed - std::min(allowed, others);
    size_t best_bytes = plan_.arena_bytes;
    const ArenaUse use = arena_use();
    const ChainChooser chooser(plan_.steps, use);
    const bool may_fit = chooser.least_bytes() <= arena;
    std::vector<RowChain> best;
    for (const size_t limit : chooser.limits()) {
      if (may_fit && limit > arena) continue;
      place_in_arena(chooser.within(limit));
      if (plan_.arena_bytes <= arena) return;
      if (plan_.arena_bytes >= best_bytes) continue;
      best_bytes = plan_.arena_bytes;
      best = plan_.chains;
    }
    place_in_arena(std::move(best));
  }

  // What a chain reads may lie over what it makes, if nobody reads it later.
  void let_follow(Lives& all) const {
    for (const RowChain& chain : plan_.chains) {
      const auto read = all.find(memory_of(plan_.steps[chain.first].reads[0]));
      const auto made = all.find(memory_of(plan_.steps[chain.last].write));
      if (!read || !made || all.buffers[*read].last > chain.last) continue;
      all.buffers[*read].follows = Follows{*made, chain.lead};
    }
  }

  // Steps that run by rows are not cut besides.
  void cut_into_parts() {
    plan_.parts.assign(plan_.steps.size(), {});
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      if (chain_at(plan_, s) == nullptr) {
        plan_.parts[s] = parts_for(plan_.steps[s], plan_.options.core);
      }
    }
  }

  // Panels that come one after another are not shared out, too.
  void leave_pieces_whole() {
    for (size_t s = 0; s < plan_.vtcm.steps.size(); ++s) {
      if (plan_.vtcm.steps[s].pieces.size() > 1 && plan_.parts[s].by_panels) plan_.parts[s] = {};
    }
  }

  // One for each part, all of them where vectors may lie.
  size_t scratch_of(size_t s) const {
    const Step& step = plan_.steps[s];
    const StepParts& parts = plan_.parts[s];
    return parts.cut() ? parts.count * part_scratch_bytes(step, plan_.options.core)
                       : step.scratch_bytes;
  }

  // What steps need for themselves, behind the tensors: scratch memory, and the links of chains.
  std::vector<BufferLife> with_own(std::vector<BufferLife> buffers) const {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const bool alone = chain_at(plan_, s) == nullptr;
      buffers.push_back({alone ? scratch_of(s) : 0, s, s});
    }
    for (const RowChain& chain : plan_.chains) {
      buffers.push_back({chain.scratch_bytes, chain.first, chain.last});
      for (size_t i = 0; i < chain.link_rows.size(); ++i) {
        const size_t bytes = chain.link_rows[i] * row_bytes(plan_.steps[chain.first + i]);
        buffers.push_back({bytes, chain.first, chain.last});
      }
    }
    return buffers;
  }

  // Arrays that are no panels lie one behind the other.
  StepConstants constants_in(const Step& step) const {
    StepConstants constants;
    if (!step.panels) {
      for (const Array& array : step.arrays) constants.common += vtcm_rounded(bytes_of(array));
      return constants;
    }
    const size_t bytes = bytes_of(step.arrays[0]), panel = step.panels->panel_bytes;
    constants.panels = (bytes + panel - 1) / panel;
    constants.panel = std::min(panel, bytes);
    constants.last_panel = bytes - (constants.panels - 1) * panel;
    return constants;
  }

  VtcmPlan vtcm_of(const std::vector<BufferLife>& buffers) const {
    const CoreKernels& core = plan_.options.core;
    if (!core.hvx || !plan_.options.firmware.vtcm) return {};
    std::vector<StepConstants> constants;
    for (const Step& step : plan_.steps) constants.push_back(constants_in(step));
    return plan_vtcm(constants, buffers, core.vtcm_bytes);
  }

  // Those of others have no bytes there.
  std::vector<BufferLife> outside_vtcm(std::vector<BufferLife> buffers) const {
    for (size_t i = 0; i < plan_.vtcm.tensors.size(); ++i) {
      if (plan_.vtcm.tensors[i]) buffers[i].bytes = 0;
    }
    return buffers;
  }
  Place place_of(size_t buffer, const MemoryPlan& arena) const {
    const bool there = buffer < plan_.vtcm.tensors.size() && plan_.vtcm.tensors[buffer];
    return there ? Place{.in = Place::In::Vtcm, .offset = *plan_.vtcm.tensors[buffer]}
                 : Place{.offset = arena.offsets[buffer]};
  }

  // Memory that no layer's weights fit into is taken for a mistake.
  Status check_vtcm() const {
    if (plan_.vtcm.steps.empty()) return Done{};
    const Step* least = nullptr;
    size_t least_needed = 0, most_needed = 0;
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const size_t needed = least_bytes(constants_in(plan_.steps[s]));
      if (plan_.vtcm.steps[s].residence != Residence::Away) return Done{};
      most_needed = std::max(most_needed, needed);
      if (needed == 0 || (least != nullptr && needed >= least_needed)) continue;
      least = &plan_.steps[s];
      least_needed = needed;
    }
    if (least == nullptr) return Done{};
    return out_of_resource("layer '", short_name(name_of(*least)), "' takes ", least_needed,
                           " bytes of VTCM for its weights, two pieces at a time, there are ",
                           plan_.options.core.vtcm_bytes,
                           most_needed > least_needed ? ", and others take more" : "",
                           "; vtcm_kib = ", (least_needed + 1023) / 1024,
                           " in the device's file is the least that holds some, 0 uses none");
  }

  void place_in_arena(std::vector<RowChain> chains) {
    plan_.chains = std::move(chains);
    cut_into_parts();
    write_over();
    Lives all = lives();
    let_follow(all);
    const std::vector<BufferLife> buffers = with_own(all.buffers);
    const size_t alignment = plan_.options.core.alignment();
    plan_.vtcm = plan_.chains.empty() ? vtcm_of(buffers) : VtcmPlan{};
    leave_pieces_whole();
    const MemoryPlan memory = plan_memory(outside_vtcm(buffers), alignment);
    plan_.arena_bytes = std::max(memory.bytes, alignment);
    plan_.live_bytes.clear();
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      plan_.live_bytes.push_back(live_at(s, buffers));
    }
    plan_.places = outside_places_;
    plan_.scratch.clear();
    for (size_t i = 0; i < all.values.size() + plan_.steps.size(); ++i) {
      const Place place = place_of(i, memory);
      if (i < all.values.size()) {
        plan_.places[all.values[i]] = place;
      } else {
        plan_.scratch.push_back(place);
      }
    }
    auto offset = memory.offsets.begin() + std::ssize(all.values) + std::ssize(plan_.steps);
    for (RowChain& chain : plan_.chains) {
      chain.scratch_offset = *offset++;
      chain.link_offsets.assign(offset, offset + std::ssize(chain.link_rows));
      offset += std::ssize(chain.link_rows);
    }
    place_by_memory();
  }

  // Values that have the memory of others lie where those do.
  void place_by_memory() {
    const auto place = [&](const Value* value) {
      const auto found = plan_.places.find(memory_of(value));
      if (found != plan_.places.end()) plan_.places[value] = Place(found->second);
    };
    for (const Step& step : plan_.steps) {
      for (const Value* value : step.reads) place(value);
      place(step.write);
    }
  }

  static size_t live_at(size_t step, const std::vector<BufferLife>& buffers) {
    const auto lives = [&](const BufferLife& b) { return b.first <= step && step <= b.last; };
    size_t bytes = 0;
    for (const BufferLife& buffer : buffers) {
      if (!lives(buffer)) continue;
      bytes += buffer.bytes;
      if (!buffer.follows || !lives(buffers[buffer.follows->buffer])) continue;
      const size_t under = buffers[buffer.follows->buffer].bytes;
      bytes -= std::min(buffer.bytes, under - std::min(under, buffer.follows->lead));
    }
    return bytes;
  }

  Plan& plan_;
  std::unordered_set<const Node*> outside_;                      // What the caller does.
  std::unordered_map<const Value*, Place> outside_places_;       // Inputs and outputs.
  std::unordered_map<const Value*, const Value*> written_over_;  // By root of the result.
};

}  // namespace

std::vector<size_t> array_offsets(const Plan& plan, size_t step) {
  const VtcmStep& there = plan.vtcm.steps[step];
  if (plan.steps[step].panels) return {there.pieces[0].offset};
  std::vector<size_t> offsets;
  size_t offset = there.common_offset;
  for (const Array& array : plan.steps[step].arrays) {
    offsets.push_back(offset);
    offset += vtcm_rounded(bytes_of(array));
  }
  return offsets;
}

size_t input_bytes(const Plan& plan) {
  size_t bytes = 0;
  for (const Value* input : plan.inputs) bytes += input->type.tensor.bytes();
  return bytes;
}

size_t output_bytes(const Plan& plan) {
  size_t bytes = 0;
  for (const Value* output : plan.outputs) bytes += output->type.tensor.bytes();
  return bytes;
}

size_t ram_bytes(const Plan& plan) {
  const size_t inputs = plan.options.firmware.inputs_in_arena ? 0 : input_bytes(plan);
  return kHandleBytes + plan.arena_bytes + inputs + output_bytes(plan);
}

const RowChain* chain_at(const Plan& plan, size_t step) {
  const auto found = std::ranges::find_if(plan.chains, [&](const RowChain& chain) {
    return chain.first <= step && step <= chain.last;
  });
  return found == plan.chains.end() ? nullptr : &*found;
}

const std::string& name_of(const Step& step) {
  return step.node->name.empty() ? step.node->outputs[0]->name : step.node->name;
}

const Step& fullest_step(const Plan& plan) {
  const auto fullest = std::ranges::max_element(plan.live_bytes);
  return plan.steps[static_cast<size_t>(fullest - plan.live_bytes.begin())];
}

Result<Plan> make_plan(Graph graph, const CompileOptions& options, CoreKernels core) {
  Plan plan;
  plan.graph = std::move(graph);
  HONE_TRY(CompileOptions prepared, prepare_graph(plan.graph, options));
  plan.options = {std::move(prepared), core};
  slice_splits(plan.graph);
  move_integers(plan.graph);
  drop_channels(plan.graph, plan.options);
  HONE_RETURN_IF_ERROR(PlanMaker(plan).make());
  return plan;
}

}  // namespace hone::c_code
