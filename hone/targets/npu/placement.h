// Whether an NPU runs a node: rules in a table, each with the sentence that a user reads and the
// nearest change that would pass.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/device/device.h"
#include "hone/targets/target.h"

namespace hone::npu {

struct Refusal {
  std::string reason;  // What was seen, and what the NPU takes.
  std::string change;  // The nearest change that would pass.
  Hint hint = {};      // How to make it, where that is not by hand.
};

struct PlacementRule {
  std::string_view name;
  std::string_view summary;  // What it holds a node to.
  // Nothing when the node passes, or is none of the rule's.
  std::optional<Refusal> (*check)(const Node& node, const Device& device);
};

// In the order they are asked; the first refusal is told.
const std::vector<PlacementRule>& placement_rules();

std::optional<Refusal> refuse(const Node& node, const Device& device);

}  // namespace hone::npu
