#include "hone/targets/npu/partition.h"

#include "hone/base/text.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/integer.h"
#include "hone/targets/common/prepare_graph.h"
#include "hone/targets/npu/layer_cost.h"
#include "hone/targets/npu/min_cut.h"
#include "hone/targets/npu/operation.h"
#include "hone/targets/npu/placement.h"

namespace hone::npu {
namespace {

std::string human_us(double us) {
  return human_duration(us * 1e-6);
}

// A host that is hardly faster is better left to other work.
constexpr double kHostPremium = 1.25;

uint64_t bytes_of(const Value& value) {
  return is_plannable(value) ? value.type.tensor.bytes() : 0;
}

class Partitioner {
 public:
  Partitioner(const Graph& graph, const Device& device, const PartitionOptions& options)
      : graph_(graph), npu_(*device.npu()), own_(*device.npu()), with_tables_(device) {
    allow_tables(with_tables_.npu()->limits);
    for (NpuMemory& memory : npu_.memories) {
      if (options.bytes_per_cycle == 0) break;
      memory.read_bytes_per_second = memory.write_bytes_per_second =
          options.bytes_per_cycle * npu_.clock_hz;
    }
    outside_ = cut_.add_node();
    cut_.price(outside_, MinCut::kNever, 0);
    for (const Node* node : graph.nodes()) add_node(*node, device, options);
    for (const Value* input : graph.inputs()) add_value(*input);
    for (const Node* node : graph.nodes()) {
      for (const Value* output : node->outputs) add_value(*output);
    }
  }

  Partition solve() {
    const std::vector<bool> first = cut_.solve();
    for (size_t i = 0; i < nodes_.size(); ++i) {
      Candidate& candidate = nodes_[i];
      Placement placement{.node = candidate.node, .on_target = first[candidate.cut_node]};
      if (placement.on_target) {
        result_.npu_nodes[candidate.node] = i;
      } else if (is_view(*candidate.node)) {
        placement.on_target = true;
      } else if (candidate.refusal) {
        placement.reason = candidate.refusal->reason;
        placement.change = candidate.refusal->change;
        placement.hint = candidate.refusal->hint;
      } else {
        placement.reason =
            str("it could run on the NPU, but its values are on the host before or after it: ",
                human_us(host_us(own_, *candidate.node)), " there, ",
                human_us(candidate.layer ? layer_us(own_, *candidate.layer) : 0),
                " on the NPU and the way over and back");
        placement.change = "bring what makes or reads its values to the NPU";
      }
      result_.placements.push_back(std::move(placement));
    }
    for (Placement& placement : result_.placements) price_boundary(placement);
    for (Candidate& candidate : nodes_) {
      if (candidate.layer && result_.on_npu(candidate.node)) {
        result_.layers.emplace(candidate.node, std::move(*candidate.layer));
      }
    }
    return std::move(result_);
  }

 private:
  struct Candidate {
    const Node* node;
    size_t cut_node;
    std::optional<Refusal> refusal = {};
    std::optional<Layer> layer = {};
    double npu_us = 0;
    double host_us = 0;
  };

  void add_node(const Node& node, const Device& device, const PartitionOptions& options) {
    Candidate candidate{.node = &node, .cut_node = cut_.add_node()};
    if (is_view(node)) {
      if (!is_byte(*node.outputs[0])) {
        candidate.refusal = Refusal{str("'", node.outputs[0]->name, "' is not of bytes"), ""};
      }
    } else {
      const NpuOperator* own = own_operator(node);
      candidate.refusal = options.too_large.contains(&node)
                              ? Refusal{"it does not fit into the SRAM beside what lives there",
                                        "smaller images or fewer channels around it"}
                              : refuse(node, own != nullptr ? with_tables_ : device);
      candidate.host_us = host_us(npu_, node);
      if (!candidate.refusal) candidate.layer = make_layer(node, options.eval);
      if (candidate.layer) {
        set_price(*candidate.layer, own);
        candidate.npu_us = layer_us(npu_, *candidate.layer);
      }
    }
    cut_.price(candidate.cut_node, candidate.refusal ? MinCut::kNever : candidate.npu_us,
               options.all_that_runs && !candidate.refusal ? MinCut::kNever
                                                           : kHostPremium * candidate.host_us);
    cut_node_of_[&node] = candidate.cut_node;
    nodes_.push_back(std::move(candidate));
  }

  // A device may have a price for an operator that its vector engine's operations do not tell.
  void set_price(Layer& layer, const NpuOperator* own) const {
    auto* command = std::get_if<sim::VectorCommand>(&layer.work);
    if (command == nullptr) return;
    const auto price = npu_.vector.cost.find(layer.node->op);
    if (own != nullptr) {
      command->cycles_per_element = own->cycles_per_element;
    } else if (price != npu_.vector.cost.end()) {
      command->cycles_per_element = price->second / npu_.vector.lanes;
    }
  }

  // The operator of its own that the device runs where the network has this table: the table's
  // bytes are the operator's results, whatever computes them. Null where it has a table only.
  const NpuOperator* own_operator(const Node& node) const {
    if (node.op != "lookup") return nullptr;
    for (const NpuOperator& own : npu_.operators) {
      if (own.cycles_per_element == 0) continue;
      for (const int origin : node.origins) {
        if (graph_.sources[static_cast<size_t>(origin)].op == own.name) return &own;
      }
    }
    return nullptr;
  }

  static void allow_tables(NpuLimits& limits) {
    limits.tables = true;
    if (!limits.ops.empty()) limits.ops.insert("lookup");
  }

  // A value crosses once, whoever reads it on the other side: a node of the cut stands for the
  // crossing, one for each direction. Waking the host is one more; whoever waits for the network's
  // outputs is awake.
  void add_value(const Value& value) {
    const bool output = graph_.is_output(&value);
    if (value.users.empty() && !output) return;
    const size_t from = value.producer == nullptr ? outside_ : cut_node_of_.at(value.producer);
    const size_t down = cut_.add_node();
    const size_t wake = cut_.add_node();
    const size_t up = cut_.add_node();
    cut_.add_edge(from, down, to_host_us(npu_, bytes_of(value)));
    cut_.add_edge(down, wake, npu_.host.dispatch_us);
    cut_.add_edge(up, from, to_npu_us(npu_, bytes_of(value)));
    for (const Use& use : value.users) {
      cut_.add_edge(wake, cut_node_of_.at(use.node), MinCut::kNever);
      cut_.add_edge(cut_node_of_.at(use.node), up, MinCut::kNever);
    }
    if (output) cut_.add_edge(down, outside_, MinCut::kNever);
  }

  // What crosses on account of a node of the host: what it reads from the NPU and what the NPU
  // reads of it.
  void price_boundary(Placement& placement) const {
    if (placement.on_target) return;
    bool handed_over = false;
    for (const Value* input : placement.node->inputs) {
      if (input == nullptr || input->constant || input->producer == nullptr) continue;
      if (!result_.on_npu(input->producer)) continue;
      placement.boundary_bytes += bytes_of(*input);
      placement.boundary_us += to_host_us(own_, bytes_of(*input));
      handed_over = true;
    }
    for (const Value* output : placement.node->outputs) {
      const bool read = std::ranges::any_of(
          output->users, [&](const Use& use) { return result_.on_npu(use.node); });
      if (!read) continue;
      placement.boundary_bytes += bytes_of(*output);
      placement.boundary_us += to_npu_us(own_, bytes_of(*output));
    }
    if (handed_over) placement.boundary_us += own_.host.dispatch_us;
  }

  const Graph& graph_;
  NpuSpec npu_;  // With the bandwidth that prices are made for.
  const NpuSpec& own_;
  Device with_tables_;  // What holds for operators of the device's own.
  MinCut cut_;
  size_t outside_ = 0;
  std::vector<Candidate> nodes_;
  std::unordered_map<const Node*, size_t> cut_node_of_;
  Partition result_;
};

}  // namespace

Partition partition(const Graph& graph, const Device& device, const PartitionOptions& options) {
  return Partitioner(graph, device, options).solve();
}

}  // namespace hone::npu
