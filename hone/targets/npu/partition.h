// Which nodes go to the NPU and which to its host: of all ways the one with the least time in all,
// boundaries included. Exact for a sum of prices, since that is a minimum cut.
#pragma once

#include <set>
#include <unordered_map>

#include "hone/device/device.h"
#include "hone/targets/npu/layer.h"

namespace hone::npu {

struct Partition {
  std::vector<Placement> placements = {};              // One per node, in running order.
  std::unordered_map<const Node*, Layer> layers = {};  // Of nodes on the NPU with work to do.
  bool on_npu(const Node* node) const { return npu_nodes.contains(node); }
  std::unordered_map<const Node*, size_t> npu_nodes = {};  // Into placements.
};

struct PartitionOptions {
  EvalOptions eval = {};
  bool all_that_runs = false;  // On the NPU, whatever the prices say.
  // The rate that transfers are taken to reach; 0: what the device has.
  double bytes_per_cycle = 0;
  std::set<const Node*> too_large = {};  // Nodes that did not fit into the SRAM.
};
Partition partition(const Graph& graph, const Device& device, const PartitionOptions& options);

}  // namespace hone::npu
