#include "hone/profile/pareto_front.h"

#include <algorithm>

namespace hone {
namespace {

bool is_whole(const FrontCandidate& candidate) {
  return candidate.worth && candidate.cost;
}

bool costs_less(const FrontCandidate& a, const FrontCandidate& b) {
  return a.cost_high.value_or(*a.cost) < b.cost_low.value_or(*b.cost);
}

bool dominates(const FrontCandidate& a, const FrontCandidate& b) {
  if (!is_whole(a) || !is_whole(b)) return false;
  const bool as_good = *a.worth >= *b.worth && *a.cost <= *b.cost;
  return as_good && (*a.worth > *b.worth || costs_less(a, b));
}

}  // namespace

std::vector<FrontPlace> pareto_front(const std::vector<FrontCandidate>& candidates) {
  std::vector<FrontPlace> places;
  for (const FrontCandidate& one : candidates) {
    const bool beaten = std::ranges::any_of(
        candidates, [&](const FrontCandidate& other) { return dominates(other, one); });
    places.push_back({.name = one.name, .on_front = is_whole(one) && !beaten});
  }
  for (size_t i = 0; i < places.size(); ++i) {
    for (size_t other = 0; other < places.size(); ++other) {
      if (places[other].on_front && dominates(candidates[other], candidates[i])) {
        places[i].dominated_by.push_back(candidates[other].name);
      }
    }
  }
  return places;
}

}  // namespace hone
