#include "hone/analyze/npu_evidence.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "hone/analyze/op_kinds.h"
#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/ops/node_cost.h"
#include "hone/profile/disjoint_sets.h"
#include "hone/profile/engines.h"
#include "hone/targets/common/prepare_graph.h"

namespace hone {
namespace {

// Placements of the host are told in the order of the graph.
std::map<const Node*, const HostPlacement*> host_nodes(const Evidence& in) {
  std::map<const Node*, const HostPlacement*> found;
  if (in.graph == nullptr) return found;
  size_t next = 0;
  for (const Node* node : in.graph->nodes()) {
    if (next == in.profile.host.size()) break;
    const HostPlacement& placement = in.profile.host[next];
    const std::string& name = node->name.empty() ? node->outputs[0]->name : node->name;
    if (placement.name != name || placement.op != node->op) continue;
    found[node] = &placement;
    ++next;
  }
  return found;
}

// What the vector engine calls the work of a node.
std::string_view vector_work(const Node& node) {
  for (const std::string_view same : {"add", "sub", "mul", "max_pool", "average_pool", "softmax"}) {
    if (node.op == same) return same;
  }
  if (node.op == "reduce_mean") return "mean";
  return is_elementwise(node.op) || is_conversion(node.op) ? "table" : "copy";
}

class IslandFinder {
 public:
  IslandFinder(const Evidence& in, const NpuSpec& npu) : in_(in), npu_(npu), host_(host_nodes(in)) {
    if (in.graph == nullptr) return;
    for (const Node* node : in.graph->nodes()) {
      if (host_.contains(node)) index_.emplace(node, index_.size());
    }
  }

  std::vector<HostIsland> find() {
    DisjointSets sets(host_.size());
    for (const auto& [node, placement] : host_) {
      for (const Value* input : node->inputs) {
        if (from_host(input)) sets.merge(index_.at(node), index_.at(input->producer));
      }
    }
    std::map<size_t, HostIsland> islands;
    for (const Node* node : in_.graph->nodes()) {
      if (host_.contains(node)) add(*node, islands[sets.of(index_.at(node))]);
    }
    std::vector<HostIsland> result;
    for (auto& [root, island] : islands) {
      island.border_us = border_us(island);
      result.push_back(std::move(island));
    }
    return result;
  }

 private:
  bool from_host(const Value* value) const {
    return value != nullptr && value->producer != nullptr && host_.contains(value->producer);
  }
  bool from_npu(const Value* value) const {
    return value != nullptr && value->producer != nullptr && !host_.contains(value->producer);
  }

  void add(const Node& node, HostIsland& island) {
    island.nodes.push_back(&node);
    island.placements.push_back(host_.at(&node));
    for (size_t s = 0; s < in_.nodes.size(); ++s) {
      if (in_.nodes[s] != &node) continue;
      island.steps.push_back(s);
      island.host_us += busy_us(in_, s, &sim::EngineBusy::host);
    }
  }

  double border_us(const HostIsland& island) const {
    bool reads = false, is_read = false;
    double whole = 0;
    for (const Node* node : island.nodes) {
      whole += host_.at(node)->boundary_us;
      reads |= std::ranges::any_of(node->inputs, [&](const Value* v) { return from_npu(v); });
      for (const Value* output : node->outputs) {
        is_read |= std::ranges::any_of(output->users,
                                       [&](const Use& use) { return !host_.contains(use.node); });
      }
    }
    if (reads && is_read) return whole;
    return reads ? npu_.host.dispatch_us : 0;
  }

  const Evidence& in_;
  const NpuSpec& npu_;
  std::map<const Node*, const HostPlacement*> host_;
  std::map<const Node*, size_t> index_;
};

bool is_scalar(const Value& value) {
  return value.constant && value.constant->elements() == 1;
}

}  // namespace

std::optional<Device> npu_of(const Evidence& in) {
  const std::string& name = in.profile.target;
  Result<Device> device = find_or_read_device(name);
  if (!device.ok() || device->npu() == nullptr) return std::nullopt;
  return *std::move(device);
}

double wait_us(const Evidence& in, size_t s, sim::Stall cause) {
  const auto& engines = in.step(s).engines;
  return engines && engines->cycles > 0 ? in.step(s).us * engines->stalls[cause] / engines->cycles
                                        : 0;
}

double busy_us(const Evidence& in, size_t s, double sim::EngineBusy::*engine) {
  const auto& engines = in.step(s).engines;
  return engines && engines->cycles > 0 ? in.step(s).us * engines->busy.*engine / engines->cycles
                                        : 0;
}

double off_chip_bytes(const Evidence& in, size_t s) {
  return engine_use(in.profile, std::array{s}).off_chip_bytes;
}

bool HostIsland::all(bool (*wanted)(const Node& node)) const {
  return std::ranges::all_of(nodes, [&](const Node* node) { return wanted(*node); });
}

std::vector<HostIsland> host_islands(const Evidence& in, const NpuSpec& npu) {
  if (in.graph == nullptr) return {};
  return IslandFinder(in, npu).find();
}

double least_npu_us(const NpuSpec& npu, const Node& node) {
  if (is_view(node)) return 0;
  const NodeCost cost = node_cost(node);
  if (cost.macs > 0) {
    return npu.us(static_cast<double>(cost.macs) /
                  static_cast<double>(npu.matrix.macs_per_cycle()));
  }
  const Value& output = *node.outputs[0];
  const auto elements =
      static_cast<double>(is_plannable(output) ? output.type.tensor.elements() : 0);
  return npu.us(elements / npu.vector.lanes * npu.vector.cost_of(vector_work(node)));
}

double least_npu_us(const NpuSpec& npu, const HostIsland& island) {
  double us = 0;
  for (const Node* node : island.nodes) us += least_npu_us(npu, *node);
  return us;
}

bool only_reformats(const Node& node) {
  return is_view(node) || node.op == "transpose" || is_conversion(node.op) ||
         is_data_movement(node.op);
}

bool is_function_island(const HostIsland& island) {
  std::set<const Value*> sources;
  bool computes = false;
  for (const Node* node : island.nodes) {
    const bool function = is_elementwise(node->op);
    const bool keeps = is_conversion(node->op) || is_view(*node) || node->op == "transpose";
    if (!function && !keeps) return false;
    computes |= function;
    for (const Value* input : node->inputs) {
      if (input == nullptr) continue;
      if (input->constant) {
        if (function && !is_scalar(*input)) return false;
      } else if (std::ranges::find(island.nodes, input->producer) == island.nodes.end()) {
        sources.insert(input);
      }
    }
  }
  return computes && sources.size() == 1 && (*sources.begin())->producer != nullptr;
}

std::string reasons_of(const Evidence& in, const HostIsland& island) {
  const auto longest =
      std::ranges::max_element(island.steps, {}, [&](size_t s) { return in.step(s).us; });
  const HostPlacement* main = island.placements[0];
  std::set<std::string> reasons;
  for (size_t i = 0; i < island.nodes.size(); ++i) {
    reasons.insert(island.placements[i]->reason);
    const bool it = longest != island.steps.end() && island.nodes[i] == in.nodes[*longest];
    if (it) main = island.placements[i];
  }
  const size_t more = reasons.size() - 1;
  return str(main->op, ": ", with_short_names(main->reason),
             more == 0 ? "" : str("; and ", count_of(more, "other reason")));
}

std::string changes_of(const HostIsland& island) {
  std::vector<std::string> changes;
  for (const HostPlacement* placement : island.placements) {
    const std::string& change = placement->change;
    if (change.empty() || std::ranges::find(changes, change) != changes.end()) continue;
    changes.push_back(change);
  }
  return join(changes, "; ");
}

Hint hint_of(const HostIsland& island) {
  Hint hint;
  for (const HostPlacement* placement : island.placements) {
    if (placement->hint.kind == HintKind::QuantizedModel) return placement->hint;
    if (hint.kind == HintKind::None) hint = placement->hint;
  }
  return hint;
}

}  // namespace hone
