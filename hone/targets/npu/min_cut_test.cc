#include "hone/targets/npu/min_cut.h"

#include <gtest/gtest.h>

#include <random>

namespace hone::npu {
namespace {

struct Problem {
  struct Pair {
    size_t a, b;
    double price;
  };
  std::vector<std::pair<double, double>> prices;  // On the first side, on the second.
  std::vector<Pair> pairs;

  double cost(const std::vector<bool>& first) const {
    double sum = 0;
    for (size_t i = 0; i < prices.size(); ++i) sum += first[i] ? prices[i].first : prices[i].second;
    for (const Pair& pair : pairs) {
      if (first[pair.a] && !first[pair.b]) sum += pair.price;
    }
    return sum;
  }
  // Of all ways.
  double least() const {
    double best = 1e300;
    for (size_t way = 0; way < size_t{1} << prices.size(); ++way) {
      std::vector<bool> first;
      for (size_t i = 0; i < prices.size(); ++i) first.push_back((way >> i & 1) != 0);
      best = std::min(best, cost(first));
    }
    return best;
  }
};

Problem random_problem(std::mt19937& random) {
  const auto below = [&](size_t n) { return random() % n; };
  Problem problem;
  const size_t nodes = 1 + below(9);
  for (size_t i = 0; i < nodes; ++i) {
    problem.prices.emplace_back(below(4) == 0 ? 1e6 : static_cast<double>(below(20)),
                                static_cast<double>(below(20)));
  }
  for (size_t i = 0; i < 2 * nodes; ++i) {
    problem.pairs.push_back({below(nodes), below(nodes), static_cast<double>(below(10))});
  }
  return problem;
}

TEST(MinCut, FindsTheCheapestOfAllWays) {
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    const Problem problem = random_problem(random);
    MinCut cut;
    std::vector<size_t> nodes;
    for (const auto& [first, second] : problem.prices) {
      nodes.push_back(cut.add_node());
      cut.price(nodes.back(), first, second);
    }
    for (const auto& pair : problem.pairs) cut.add_edge(nodes[pair.a], nodes[pair.b], pair.price);
    const std::vector<bool> sides = cut.solve();
    std::vector<bool> first;
    for (const size_t node : nodes) first.push_back(sides[node]);
    EXPECT_DOUBLE_EQ(problem.cost(first), problem.least());
  }
}

}  // namespace
}  // namespace hone::npu
