#include "hone/profile/import/lay_on_model.h"

#include <algorithm>
#include <map>
#include <set>

#include "hone/base/str.h"
#include "hone/ops/node_cost.h"
#include "hone/profile/layers.h"

namespace hone {
namespace {

// How many layers a fusion may have behind the one it is mostly made of.
constexpr int kDeepestFusion = 8;

// "Conv" of "FusedConv".
std::string plain_op(const std::string& op) {
  constexpr std::string_view kFused = "Fused";
  return op.starts_with(kFused) ? op.substr(kFused.size()) : op;
}

// A filter for each channel.
bool is_depthwise(const Node& node) {
  const auto* group = node.find_attr<int64_t>("group");
  if (node.op != "conv" || group == nullptr || *group <= 1) return false;
  const Shape& weights = node.inputs[1]->type.tensor.shape;  // [outputs, inputs of a group, ...].
  return weights.size() > 2 && weights[1] == 1 && weights[0] == *group;
}

class Overlay {
 public:
  Overlay(const Graph& graph, Profile& profile)
      : graph_(graph), profile_(profile), nodes_(graph.nodes()), claimed_(profile.steps.size()) {
    for (const Node* node : nodes_) {
      for (const int origin : node->origins) {
        by_name_[graph.sources[static_cast<size_t>(origin)].name].push_back(node);
      }
    }
  }

  // How many steps found a layer.
  size_t run() {
    std::vector<std::pair<size_t, const Node*>> fusions;  // Named after their last layer.
    for (size_t s = 0; s < profile_.steps.size(); ++s) claim_named(s, fusions);
    for (const auto& [step, last] : fusions) reach_back(step, last);
    absorb_rest();
    return static_cast<size_t>(
        std::ranges::count_if(claimed_, [](const auto& nodes) { return !nodes.empty(); }));
  }

  // Fills in what the model tells of each step; see lay_on_model.
  std::vector<const Node*> fill() {
    std::vector<const Node*> mostly;
    for (size_t s = 0; s < profile_.steps.size(); ++s) mostly.push_back(fill_step(s));
    group_layers(graph_, profile_);
    for (LayerGroup& group : profile_.layers) {
      if (group.steps.empty()) group.ended = "no step of the file is of it";
    }
    return mostly;
  }

 private:
  std::string op_of(const Node& node) const {
    return node.origins.empty() ? node.op : graph_.sources[static_cast<size_t>(node.origins[0])].op;
  }

  void claim(size_t step, const Node* node) {
    if (step_of_.try_emplace(node, step).second) claimed_[step].push_back(node);
  }

  // Exporters name the first value of node "x" "x", "x_output_0" or "x:0".
  const Node* producer_of(const std::string& name) const {
    for (const char* end : {"", "_output_0", ":0"}) {
      const Value* value = graph_.find_value(name + end);
      if (value != nullptr && value->producer != nullptr) return value->producer;
    }
    return nullptr;
  }

  void claim_named(size_t s, std::vector<std::pair<size_t, const Node*>>& fusions) {
    const StepProfile& step = profile_.steps[s];
    const std::string wanted = plain_op(step.op);
    for (const size_t source : step.sources) {
      const std::string& layer = profile_.sources[source].name;
      std::vector<const Node*> named;
      if (const auto found = by_name_.find(layer); found != by_name_.end()) named = found->second;
      if (const Node* producer = producer_of(layer); named.empty() && producer != nullptr) {
        named.push_back(producer);
      }
      for (const Node* node : named) claim(s, node);
      const auto is_wanted = [&](const Node* node) { return op_of(*node) == wanted; };
      if (!named.empty() && step.sources.size() == 1 && std::ranges::none_of(named, is_wanted)) {
        fusions.emplace_back(s, named[0]);
      }
    }
  }

  // Claims the way back to the nearest free node of the step's operator.
  void reach_back(size_t s, const Node* last) {
    const std::string wanted = plain_op(profile_.steps[s].op);
    std::map<const Node*, const Node*> behind = {{last, nullptr}};
    std::vector<const Node*> front = {last};
    for (int depth = 0; depth < kDeepestFusion && !front.empty(); ++depth) {
      std::vector<const Node*> next;
      for (const Node* node : front) {
        for (const Value* input : node->inputs) {
          const Node* before = input == nullptr ? nullptr : input->producer;
          if (before == nullptr || step_of_.contains(before)) continue;
          if (!behind.try_emplace(before, node).second) continue;
          if (op_of(*before) == wanted) {
            for (const Node* on = before; on != nullptr; on = behind.at(on)) claim(s, on);
            return;
          }
          next.push_back(before);
        }
      }
      front = std::move(next);
    }
  }

  void absorb_rest() {
    for (const Node* node : nodes_) {
      for (const Value* input : node->inputs) {
        if (input != nullptr && input->producer != nullptr) join(node, input->producer);
      }
    }
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      for (const Value* output : (*node)->outputs) {
        for (const Use& use : output->users) join(*node, use.node);
      }
    }
  }

  void join(const Node* node, const Node* neighbour) {
    const auto found = step_of_.find(neighbour);
    // What multiplies has a step of its own, or is not in the file.
    if (found != step_of_.end() && node_cost(*node).macs == 0) claim(found->second, node);
  }

  const Node* fill_step(size_t s) {
    StepProfile& step = profile_.steps[s];
    NodeCost sum;
    std::set<size_t> sources;
    const Node* mostly = nullptr;
    int64_t most = -1;
    for (const Node* node : claimed_[s]) {
      const NodeCost cost = node_cost(*node);
      sum.macs += cost.macs;
      sum.flops += cost.flops;
      sum.weight_bytes += cost.weight_bytes;
      for (const int origin : node->origins) sources.insert(static_cast<size_t>(origin));
      if (cost.macs <= most) continue;
      most = cost.macs;
      mostly = node;
    }
    step.sources.assign(sources.begin(), sources.end());
    if (mostly == nullptr) return nullptr;
    set_kind(*mostly, step);
    step.op = mostly->op;
    step.macs = sum.macs;
    step.flops = sum.flops;
    if (step.weight_bytes == 0) step.weight_bytes = sum.weight_bytes;
    return mostly;
  }

  // Other tools tell no more of how they compute than their own names for it.
  static void set_kind(const Node& mostly, StepProfile& step) {
    StepKind told = step.kind;
    step.kind.work = step.op;
    step.kind.variant = kernel_name(told);
    if (!is_depthwise(mostly)) return;
    told = step.kind;
    step.kind.family = StepFamily::Depthwise;
    step.kind.work = "depthwise";
    step.kind.variant = kernel_name(told);
  }

  const Graph& graph_;
  Profile& profile_;
  const std::vector<Node*> nodes_;
  std::map<std::string, std::vector<const Node*>> by_name_ = {};
  std::map<const Node*, size_t> step_of_ = {};
  std::vector<std::vector<const Node*>> claimed_;  // By step, those it was named after first.
};

}  // namespace

Result<std::vector<const Node*>> lay_on_model(const Graph& graph, Profile& profile) {
  Overlay overlay(graph, profile);
  const size_t found = overlay.run();
  if (found == 0) {
    return bad_input("none of the ", profile.steps.size(),
                     " steps is named after a layer of the model: is it of another model?");
  }
  std::vector<const Node*> nodes = overlay.fill();
  if (found == profile.steps.size()) return nodes;
  double own_us = 0;
  for (size_t s = 0; s < nodes.size(); ++s) {
    if (nodes[s] == nullptr) own_us += profile.steps[s].us;
  }
  profile.notes.push_back(str(profile.steps.size() - found, " of ", profile.steps.size(),
                              " steps are ", profile.tool, "'s own: ", own_us, " us"));
  return nodes;
}

}  // namespace hone
