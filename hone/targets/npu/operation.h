// What the engines of an NPU do for an operator: one definition for each operation, a file in
// operations/ and a line in operations.inc.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hone/ops/conv/geometry.h"
#include "hone/sim/vector_op.h"
#include "hone/targets/npu/layer.h"

namespace hone::npu {

// A window that slides over an image, of whatever rank and layout.
struct NodeWindow {
  Window window;
  int64_t batch = 1;
  int64_t in_channels = 1;
  int64_t out_channels = 1;
  int64_t groups = 1;
  bool nhwc = true;
};

struct OperationDef {
  std::span<const std::string_view> ops;  // Operators that it serves, as hone/ops names them.
  // Nothing for a form that the engines have no command for, whatever the device. Null where no
  // layer stands for the node itself.
  std::optional<Layer> (*layer)(const Node& node, const EvalOptions& options) = nullptr;
  // The vector engine's part in it; null where it is the matrix engine's work.
  const sim::VectorOpDef* vector = nullptr;
  // Whether it is a function of one byte by a table, which a device can price by operator.
  bool table = false;
  // Whether its second input are weights that must be there before a run.
  bool weights = false;
  // Null: none slides. Nothing for a node that has no geometry.
  std::optional<NodeWindow> (*window)(const Node& node) = nullptr;
  // Where there is no `layer`: whether the NPU can do the node all the same.
  bool (*takes)(const Node& node) = nullptr;
  // Further names that limits.ops may have for it, and the one that holds for a node.
  std::span<const std::string_view> forms = {};
  std::string_view (*form)(const Node& node) = nullptr;
};

// In the order of operations.inc.
const std::vector<const OperationDef*>& operations();
// Null where no engine has a command for any form of the operator.
const OperationDef* find_operation(std::string_view op);

// Nothing for a node that the engines have no command for, whatever the device.
std::optional<Layer> make_layer(const Node& node, const EvalOptions& options);

// Names that a device file may have: operators in limits.ops, prices in vector.cost.
const std::vector<std::string_view>& limit_names();
const std::vector<std::string_view>& cost_names();

}  // namespace hone::npu
