// A minimum cut: the cheapest way to divide nodes in two, when each has a price on either side and
// each edge a price for being cut. By Dinic's algorithm: a hundred lines, where a graph library
// would bring ten thousand for this one call.
#pragma once

#include <cstddef>
#include <vector>

namespace hone::npu {

class MinCut {
 public:
  static constexpr double kNever = 1e18;

  size_t add_node();
  // What it costs to have the node on the first, or on the second side.
  void price(size_t node, double on_first, double on_second);
  // What it costs when `from` is on the first side and `to` on the second.
  void add_edge(size_t from, size_t to, double capacity);
  // True for nodes that are best on the first side.
  std::vector<bool> solve();

 private:
  struct Edge {
    size_t to;
    double left;  // Capacity that is not used yet.
  };
  bool find_levels();
  double push(size_t node, double flow);

  static constexpr size_t kSource = 0;
  static constexpr size_t kSink = 1;
  std::vector<std::vector<size_t>> edges_of_ = {{}, {}};  // Into edges_; e ^ 1 is the way back.
  std::vector<Edge> edges_;
  std::vector<int> level_;
  std::vector<size_t> next_;
};

}  // namespace hone::npu
