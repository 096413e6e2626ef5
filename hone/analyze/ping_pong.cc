#include "hone/analyze/ping_pong.h"

namespace hone {
namespace {

constexpr int kFarthest = 8;  // Operators between the two.

using Perm = std::vector<int64_t>;

const Perm* perm_of(const Evidence& in, size_t s) {
  return in.step(s).op == "transpose" ? in.nodes[s]->find_attr<Perm>("perm") : nullptr;
}

bool undo(const Perm& first, const Perm& second) {
  if (first.size() != second.size()) return false;
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[static_cast<size_t>(second[i])] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// The node behind the first computed input.
const Node* before(const Node& node) {
  for (const Value* input : node.inputs) {
    if (input != nullptr && !input->constant) return input->producer;
  }
  return nullptr;
}

// What the caller gives or takes in another order than the network computes in is no ping-pong.
bool inside(const Evidence& in, size_t there, size_t back) {
  return !in.graph->is_input(in.nodes[there]->inputs[0]) &&
         !in.graph->is_output(in.nodes[back]->outputs[0]);
}

}  // namespace

std::vector<PingPong> find_ping_pongs(const Evidence& in) {
  std::vector<PingPong> pairs;
  for (size_t s = 0; s < in.nodes.size(); ++s) {
    const Perm* back = perm_of(in, s);
    if (back == nullptr) continue;
    const Node* node = before(*in.nodes[s]);
    for (int distance = 0; node != nullptr && distance < kFarthest; ++distance) {
      const size_t at = in.producer_of(node->outputs[0]);
      const Perm* there = at == Evidence::kNone ? nullptr : perm_of(in, at);
      if (there != nullptr) {
        if (undo(*there, *back) && inside(in, at, s)) pairs.push_back({at, s});
        break;
      }
      node = before(*node);
    }
  }
  return pairs;
}

}  // namespace hone
