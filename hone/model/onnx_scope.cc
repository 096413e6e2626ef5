#include "hone/model/onnx_scope.h"

#include <queue>
#include <unordered_map>

namespace hone {
namespace {

template <class Fn>
void for_each_body(const OnnxNode& node, const Fn& fn) {
  for (const auto& [key, attr] : node.attrs) {
    if (const auto* body = std::get_if<std::shared_ptr<OnnxGraph>>(&attr.value)) fn(**body);
  }
}

// What a node reads, captured names of its subgraphs included.
std::set<std::string> names_read(const OnnxNode& node) {
  std::set<std::string> names = captured_names(node);
  names.insert(node.inputs.begin(), node.inputs.end());
  names.erase("");
  return names;
}

}  // namespace

std::string label_of(const OnnxNode& node) {
  if (!node.name.empty()) return node.name;
  for (const std::string& output : node.outputs) {
    if (!output.empty()) return output;
  }
  return node.op_type;
}

std::set<std::string> free_names(const OnnxGraph& graph) {
  std::set<std::string> read;
  for (const OnnxNode& node : graph.nodes) read.merge(names_read(node));
  for (const OnnxValueInfo& output : graph.outputs) read.insert(output.name);
  for (const OnnxValueInfo& input : graph.inputs) read.erase(input.name);
  for (const auto& [name, tensor] : graph.initializers) read.erase(name);
  for (const OnnxNode& node : graph.nodes) {
    for (const std::string& output : node.outputs) read.erase(output);
  }
  return read;
}

std::set<std::string> captured_names(const OnnxNode& node) {
  std::set<std::string> names;
  for_each_body(node, [&](const OnnxGraph& body) { names.merge(free_names(body)); });
  return names;
}

Result<std::vector<const OnnxNode*>> in_running_order(const std::vector<OnnxNode>& nodes) {
  std::unordered_map<std::string, size_t> maker;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& output : nodes[i].outputs) {
      if (output.empty()) continue;
      if (!maker.emplace(output, i).second) {
        return bad_input("node '", label_of(nodes[i]), "': '", output,
                         "' is made by an earlier node already");
      }
    }
  }
  std::vector<size_t> waits_for(nodes.size());
  std::vector<std::vector<size_t>> feeds(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& name : names_read(nodes[i])) {
      const auto from = maker.find(name);
      if (from == maker.end()) continue;
      feeds[from->second].push_back(i);
      ++waits_for[i];
    }
  }
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (waits_for[i] == 0) ready.push(i);
  }
  std::vector<const OnnxNode*> order;
  while (!ready.empty()) {
    const size_t next = ready.top();
    ready.pop();
    order.push_back(&nodes[next]);
    for (const size_t fed : feeds[next]) {
      if (--waits_for[fed] == 0) ready.push(fed);
    }
  }
  if (order.size() == nodes.size()) return order;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (waits_for[i] != 0) {
      return bad_input("node '", label_of(nodes[i]), "' is part of a cycle, or waits for one");
    }
  }
  return order;
}

}  // namespace hone
