// Who is worth taking where two things count, one against the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hone {

struct FrontCandidate {
  std::string name = {};
  std::optional<double> worth = {};  // The more, the better.
  std::optional<double> cost = {};   // The less, the better.
  std::optional<double> cost_low = {},
                        cost_high = {};  // Between which it was measured, where it was.
};

struct FrontPlace {
  std::string name = {};
  bool on_front = false;
  // Those on the front that are as good in both and better in one, costs that were measured surely:
  // two copies of one do not cost the same twice. Empty on the front itself, and where a figure is
  // missing: then there is nothing to rank.
  std::vector<std::string> dominated_by = {};
};

// A place for each, in their order.
std::vector<FrontPlace> pareto_front(const std::vector<FrontCandidate>& candidates);

}  // namespace hone
