#include "hone/targets/npu/min_cut.h"

#include <algorithm>
#include <queue>

namespace hone::npu {
namespace {

// Flows below it are rounding.
constexpr double kNothing = 1e-9;

}  // namespace

size_t MinCut::add_thing() {
  edges_of_.emplace_back();
  return edges_of_.size() - 1;
}

void MinCut::add_edge(size_t from, size_t to, double capacity) {
  edges_of_[from].push_back(edges_.size());
  edges_.push_back({to, capacity});
  edges_of_[to].push_back(edges_.size());
  edges_.push_back({from, 0});
}

// Cutting source -> thing puts the thing on the second side.
void MinCut::price(size_t thing, double on_first, double on_second) {
  add_edge(kSource, thing, on_second);
  add_edge(thing, kSink, on_first);
}

void MinCut::part(size_t a, size_t b, double price) {
  add_edge(a, b, price);
}

bool MinCut::find_levels() {
  level_.assign(edges_of_.size(), -1);
  level_[kSource] = 0;
  std::queue<size_t> queue({kSource});
  while (!queue.empty()) {
    const size_t thing = queue.front();
    queue.pop();
    for (const size_t e : edges_of_[thing]) {
      const Edge& edge = edges_[e];
      if (edge.left <= kNothing || level_[edge.to] >= 0) continue;
      level_[edge.to] = level_[thing] + 1;
      queue.push(edge.to);
    }
  }
  return level_[kSink] >= 0;
}

double MinCut::push(size_t thing, double flow) {
  if (thing == kSink) return flow;
  for (size_t& i = next_[thing]; i < edges_of_[thing].size(); ++i) {
    const size_t e = edges_of_[thing][i];
    if (edges_[e].left <= kNothing || level_[edges_[e].to] != level_[thing] + 1) continue;
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
