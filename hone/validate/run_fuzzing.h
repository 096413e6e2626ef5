// What fuzz programs do with a model that could be read: run it where it is small, on every kind of
// target, and hold the results together.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "hone/model/load.h"
#include "hone/ops/interpreter.h"
#include "hone/ops/node_cost.h"
#include "hone/targets/target.h"
#include "hone/tensor/compare.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr size_t kMostNodes = 100;
constexpr int64_t kMostElements = 1 << 14;
constexpr int64_t kMostWork = 1 << 24;

bool has_small_types(const Graph& graph) {
  const auto small = [](const Value* value) {
    const TensorType& type = value->type.tensor;
    return !type.known() || type.elements() <= kMostElements;
  };
  return std::ranges::all_of(graph.inputs(), small) &&
         std::ranges::all_of(graph.constants(), small) &&
         std::ranges::all_of(graph.nodes(), [&](const Node* node) {
           return std::ranges::all_of(node->outputs, small);
         });
}

// A file of a few bytes can ask for hours. Loops may go on for ever, and bodies hide what they
// cost.
bool is_cheap(const Graph& graph) {
  if (graph.node_count() > kMostNodes || !has_small_types(graph)) return false;
  int64_t work = 0;
  for (const Node* node : graph.nodes()) {
    const bool has_body = std::ranges::any_of(node->attrs, [](const auto& attr) {
      return std::holds_alternative<std::shared_ptr<Graph>>(attr.second);
    });
    const OpDef* op = find_op(node->op);
    if (has_body || op == nullptr || op->random) return false;
    const NodeCost cost = node_cost(*node);
    if (cost.macs > kMostWork || cost.flops > kMostWork) return false;
    work += cost.macs + cost.flops;
  }
  return work <= kMostWork;
}

// Small numbers of either sign, the same every time; nothing where an input is no tensor of known
// extents with numbers in it.
std::optional<std::vector<Item>> some_inputs(const Graph& graph) {
  std::vector<Item> inputs;
  for (const Value* input : graph.inputs()) {
    const TensorType& type = input->type.tensor;
    if (!input->type.is_tensor() || !type.known() || !kNumeric.contains(type.dtype)) return {};
    Tensor tensor(type);
    dispatch_numeric(type.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      int64_t next = 0;
      for (T& x : tensor.mutable_data<T>()) {
        const int64_t number = (7 * next++) % 11 - 4;
        if constexpr (std::is_integral_v<T>) {
          x = static_cast<T>(number);
        } else {
          x = T(0.5f * static_cast<float>(number));
        }
      }
    });
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

// Whether small differences stay small: then floats can be held together.
bool is_tame(const Node& node, const std::vector<Item>& outputs) {
  constexpr double kLargest = 1e3;
  for (const Value* input : node.inputs) {
    const bool from_floats = input != nullptr && kFloat.contains(input->type.tensor.dtype);
    if (from_floats && !kFloat.contains(node.outputs[0]->type.tensor.dtype)) return false;
  }
  static constexpr std::string_view kJumps[] = {"floor", "ceil", "round", "sign",    "mod",
                                                "where", "div",  "pow",   "hardmax", "reciprocal",
                                                "log",   "tan",  "sqrt",  "resize",  "grid_sample"};
  if (std::ranges::find(kJumps, node.op) != std::end(kJumps)) return false;
  return std::ranges::all_of(outputs, [](const Item& item) {
    if (!item.is_tensor() || item.tensor.dtype() != DType::F32) return item.is_tensor();
    return std::ranges::all_of(item.tensor.data<float>(),
                               [](float x) { return std::abs(x) < kLargest; });
  });
}

void check_same(const std::vector<Item>& actual, const std::vector<Item>& expected, bool tame,
                const char* target) {
  constexpr double kTolerance = 1e-2;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!expected[i].is_tensor()) continue;
    const Difference difference = compare(actual[i].tensor, expected[i].tensor);
    HONE_CHECK(difference.comparable, "output ", i, " on ", target, ": ", difference.what);
    HONE_CHECK(!tame || difference.max_abs <= kTolerance * std::max(1.0, difference.max_magnitude),
               "output ", i, " on ", target, " is off by ", difference.max_abs);
  }
}

}  // namespace

// Aborts, with a line that says why, when targets disagree.
inline void run_everywhere(const Model& model) {
  if (!model.unsupported.empty() || !is_cheap(model.graph)) return;
  const std::optional<std::vector<Item>> inputs = some_inputs(model.graph);
  if (!inputs) return;
  bool tame = true;
  const RunOptions options{.eval = {},
                           .after_node = [&](const Node& node, const std::vector<Item>& outputs) {
                             tame = tame && is_tame(node, outputs);
                           }};
  const auto expected = run_graph(model.graph, *inputs, options);
  for (const char* name : {"cpu", "npu"}) {
    const auto program = (*find_target(name))
                             ->open()
                             ->compile(std::move(*model.graph.clone()),
                                       {.eval = {}, .qdq_rounds_once = false, .threads = 1});
    if (!program.ok()) {
      HONE_CHECK(!expected.ok(), name,
                 " refuses what the reference runs: ", program.error().message);
      continue;
    }
    const auto actual = (*program)->run(*inputs);
    if (!expected.ok()) continue;
    HONE_CHECK(actual.ok(), name, " fails where the reference does not: ", actual.error().message);
    check_same(*actual, *expected, tame, name);
  }
}

}  // namespace hone
