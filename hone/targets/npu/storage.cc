#include "hone/targets/npu/storage.h"

#include <algorithm>

#include "hone/sim/vector_op.h"
#include "hone/targets/common/prepare_graph.h"

namespace hone::npu {
namespace {

class Outliner {
 public:
  Outliner(const Graph& graph, Partition& partition) : graph_(graph), partition_(partition) {}

  ProgramOutline make() {
    find_concats();
    for (const Value* input : graph_.inputs()) part_of(input);
    for (const Node* node : graph_.nodes()) add(*node);
    for (const Value* output : graph_.outputs()) touch_from_outside(output);
    return std::move(outline_);
  }

 private:
  // Values that their producer can write where a concatenation wants them.
  void find_concats() {
    for (const Node* node : graph_.nodes()) {
      if (node->op != "concat" || !partition_.on_npu(node)) continue;
      for (const Value* input : node->inputs) {
        if (written_in_place(*input, *node)) concat_of_.try_emplace(input, node);
      }
    }
  }

  bool written_in_place(const Value& value, const Node& concat) const {
    if (value.producer == nullptr || !partition_.layers.contains(value.producer)) return false;
    if (graph_.is_output(&value) || std::ranges::count(concat.inputs, &value) != 1) return false;
    return std::ranges::all_of(value.users, [&](const Use& use) {
      return use.node == &concat || reads_strided(value, *use.node);
    });
  }

  // Whether the node's layer reads the value as the image it is, so that pixels may lie apart.
  bool reads_strided(const Value& value, const Node& node) const {
    const auto found = partition_.layers.find(&node);
    if (found == partition_.layers.end()) return false;
    const Image image = image_of(value.type.tensor);
    return std::ranges::all_of(found->second.inputs, [&](const Operand& operand) {
      return operand.value != &value ||
             (operand.image.height == image.height && operand.image.width == image.width &&
              operand.image.channels == image.channels);
    });
  }

  const Part* part_of(const Value* value) {
    if (value == nullptr || value->constant || !is_plannable(*value)) return nullptr;
    const auto found = outline_.storages.part_of.find(value);
    if (found != outline_.storages.part_of.end()) return &found->second;
    Part part;
    if (const auto concat = concat_of_.find(value); concat != concat_of_.end()) {
      part = slice(*concat->second, value);
    } else {
      part.storage = outline_.storages.all.size();
      outline_.storages.all.push_back({.value = value, .bytes = value->type.tensor.bytes()});
    }
    return &outline_.storages.part_of.emplace(value, part).first->second;
  }

  Part slice(const Node& concat, const Value* value) {
    const Value* whole = concat.outputs[0];
    Part part = *part_of(whole);
    part.pixel_stride =
        part.pixel_stride != 0 ? part.pixel_stride : whole->type.tensor.shape.back();
    for (const Value* input : concat.inputs) {
      if (input == value) break;
      part.first_channel += input->type.tensor.shape.back();
    }
    return part;
  }

  void add(const Node& node) {
    if (is_view(node)) {
      if (const Part* part = part_of(node.inputs[0])) {
        outline_.storages.part_of[node.outputs[0]] = *part;
      }
      return;
    }
    ProgramStep step{.node = &node, .on_npu = partition_.on_npu(&node)};
    if (step.on_npu && node.op == "concat") {
      step.layers = copies_of(node);
      if (step.layers.empty()) return;
    } else if (step.on_npu) {
      step.layers.push_back(std::move(partition_.layers.at(&node)));
    }
    for (const Value* input : node.inputs) touch(input, step.on_npu, false);
    for (const Value* output : node.outputs) touch(output, step.on_npu, true);
    outline_.steps.push_back(std::move(step));
  }

  std::vector<Layer> copies_of(const Node& concat) {
    std::vector<Layer> layers;
    int64_t channel = 0;
    for (const Value* input : concat.inputs) {
      const Image image = image_of(input->type.tensor);
      const auto in_place = concat_of_.find(input);
      if (in_place == concat_of_.end() || in_place->second != &concat) {
        Layer layer;
        layer.node = &concat;
        layer.inputs = {{input, image}};
        layer.output = {concat.outputs[0], image};
        layer.output_channel = channel;
        layer.cuts_rows = true;
        sim::VectorCommand copy{.op = &sim::vector_op_copy};
        copy.a = copy.output = view_of(image);
        layer.work = copy;
        layers.push_back(std::move(layer));
      }
      channel += image.channels;
    }
    return layers;
  }

  void touch(const Value* value, bool by_npu, bool writes) {
    const Part* part = part_of(value);
    if (part == nullptr) return;
    Storage& storage = outline_.storages.all[part->storage];
    const size_t step = outline_.steps.size();
    storage.first_step = std::min(storage.first_step, step);
    storage.last_step = std::max(storage.last_step, step);
    storage.npu = storage.npu || by_npu;
    storage.written_by_npu = storage.written_by_npu || (by_npu && writes);
    storage.in_memory = storage.in_memory || !by_npu || graph_.is_input(storage.value);
  }

  void touch_from_outside(const Value* output) {
    const Part* part = part_of(output);
    if (part == nullptr) return;
    Storage& storage = outline_.storages.all[part->storage];
    storage.in_memory = true;
    storage.first_step = std::min(storage.first_step, outline_.steps.size());
    storage.last_step = outline_.steps.size();
  }

  const Graph& graph_;
  Partition& partition_;
  std::unordered_map<const Value*, const Node*> concat_of_;
  ProgramOutline outline_;
};

}  // namespace

ProgramOutline outline(const Graph& graph, Partition& partition) {
  return Outliner(graph, partition).make();
}

}  // namespace hone::npu
