#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "hone/graph/graph.h"

namespace hone {
namespace {

std::string label(const Node& node) {
  return str("node '", node.name, "' (", node.op, ")");
}

Status verify_inputs(const Node& node, const std::unordered_set<const Value*>& made) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Value* value = node.inputs[i];
    if (value == nullptr) continue;
    if (!made.contains(value)) {
      return bad_input(label(node), ": input ", i, " is read before it is made");
    }
  }
  return Done{};
}

// Values know who reads them: as many uses as there are reads, all different, all true.
Status verify_users(const Graph& graph) {
  std::unordered_map<const Value*, size_t> reads;
  for (const Node* node : graph.nodes()) {
    for (const Value* value : node->inputs) {
      if (value != nullptr) ++reads[value];
    }
  }
  for (const auto& [value, count] : reads) {
    std::set<std::pair<const Node*, size_t>> uses;
    for (const Use& use : value->users) {
      const bool reads_it =
          use.input < use.node->inputs.size() && use.node->inputs[use.input] == value;
      if (!reads_it || !uses.emplace(use.node, use.input).second) {
        return bad_input("'", value->name, "' names input ", use.input, " of ", label(*use.node),
                         " as its reader, which it is not");
      }
    }
    if (uses.size() != count) {
      return bad_input("'", value->name, "' knows ", uses.size(), " of its ", count, " readers");
    }
  }
  return Done{};
}

Status verify_outputs(const Node& node) {
  if (node.outputs.empty()) return bad_input(label(node), ": has no outputs");
  for (const Value* value : node.outputs) {
    if (value->producer != &node) {
      return bad_input(label(node), ": '", value->name, "' names another producer");
    }
    const Status type = value->type.tensor.check();
    if (!type.ok()) return Error(type.error()).in(label(node));
  }
  return Done{};
}

Status verify_origins(const Graph& graph) {
  std::vector<bool> accounted(graph.sources.size());
  for (const Node* node : graph.nodes()) {
    if (!std::ranges::is_sorted(node->origins)) {
      return bad_input(label(*node), ": origins are not sorted");
    }
    for (const int origin : node->origins) {
      if (origin < 0 || origin >= static_cast<int>(accounted.size())) {
        return bad_input(label(*node), ": origin ", origin, " is not a source");
      }
      accounted[static_cast<size_t>(origin)] = true;
    }
  }
  for (const Vanished& gone : graph.vanished) {
    if (gone.source < 0 || gone.source >= static_cast<int>(accounted.size())) {
      return bad_input("vanished source ", gone.source, " is not a source");
    }
    accounted[static_cast<size_t>(gone.source)] = true;
  }
  for (size_t i = 0; i < accounted.size(); ++i) {
    if (!accounted[i]) {
      return bad_input("source ", i, " '", graph.sources[i].name, "' (", graph.sources[i].op,
                       ") is lost: no node stands for it and no pass recorded its end");
    }
  }
  return Done{};
}

Status verify_subgraphs(const Node& node) {
  for (const auto& [key, attr] : node.attrs) {
    const auto* body = std::get_if<std::shared_ptr<Graph>>(&attr);
    if (body == nullptr) continue;
    HONE_RETURN_IF_ERROR(verify(**body).in(str(label(node), ": ", key)));
  }
  return Done{};
}

}  // namespace

Status verify(const Graph& graph) {
  std::unordered_set<const Value*> made;
  for (const Value* value : graph.inputs()) {
    HONE_RETURN_IF_ERROR(value->type.tensor.check().in(str("input '", value->name, "'")));
    made.insert(value);
  }
  for (const Value* value : graph.constants()) made.insert(value);
  for (const Node* node : graph.nodes()) {
    HONE_RETURN_IF_ERROR(verify_inputs(*node, made));
    HONE_RETURN_IF_ERROR(verify_outputs(*node));
    HONE_RETURN_IF_ERROR(verify_subgraphs(*node));
    made.insert(node->outputs.begin(), node->outputs.end());
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    if (!made.contains(graph.outputs()[i])) {
      return bad_input("graph output ", i, " is not made by any node");
    }
  }
  HONE_RETURN_IF_ERROR(verify_users(graph));
  return verify_origins(graph);
}

}  // namespace hone
