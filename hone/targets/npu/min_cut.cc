#include "hone/targets/npu/min_cut.h"

#include <algorithm>
#include <queue>

namespace hone::npu {
namespace {

// Flows below it are rounding.
constexpr double kNothing = 1e-9;

}  // namespace

size_t MinCut::add_node() {
  edges_of_.emplace_back();
  return edges_of_.size() - 1;
}

void MinCut::add_edge(size_t from, size_t to, double capacity) {
  edges_of_[from].push_back(edges_.size());
  edges_.push_back({to, capacity});
  edges_of_[to].push_back(edges_.size());
  edges_.push_back({from, 0});
}

// Cutting source -> node puts the node on the second side.
void MinCut::price(size_t node, double on_first, double on_second) {
  add_edge(kSource, node, on_second);
  add_edge(node, kSink, on_first);
}

bool MinCut::find_levels() {
  level_.assign(edges_of_.size(), -1);
  level_[kSource] = 0;
  std::queue<size_t> queue({kSource});
  while (!queue.empty()) {
    const size_t node = queue.front();
    queue.pop();
    for (const size_t e : edges_of_[node]) {
      const Edge& edge = edges_[e];
      if (edge.left <= kNothing || level_[edge.to] >= 0) continue;
      level_[edge.to] = level_[node] + 1;
      queue.push(edge.to);
    }
  }
  return level_[kSink] >= 0;
}

double MinCut::push(size_t node, double flow) {
  if (node == kSink) return flow;
  for (size_t& i = next_[node]; i < edges_of_[node].size(); ++i) {
    const size_t e = edges_of_[node][i];
    if (edges_[e].left <= kNothing || level_[edges_[e].to] != level_[node] + 1) continue;
    const double pushed = push(edges_[e].to, std::min(flow, edges_[e].left));
    if (pushed <= 0) continue;
    edges_[e].left -= pushed;
    edges_[e ^ 1].left += pushed;
    return pushed;
  }
  return 0;
}

std::vector<bool> MinCut::solve() {
  while (find_levels()) {
    next_.assign(edges_of_.size(), 0);
    while (push(kSource, kNever) > 0) {
    }
  }
  std::vector<bool> first(level_.size());
  for (size_t i = 0; i < level_.size(); ++i) first[i] = level_[i] >= 0;
  return first;
}

}  // namespace hone::npu
