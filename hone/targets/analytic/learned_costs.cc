#include "hone/targets/analytic/learned_costs.h"

#include <algorithm>

#include "hone/device/class_file.h"
#include "hone/targets/analytic/predict.h"

namespace hone {

LearnedCosts learned_costs(const AnalyticSpec& spec, std::string_view precision) {
  const ClassMembership& membership = *spec.membership;
  auto found = membership.classes.find(precision);
  if (found == membership.classes.end()) found = membership.classes.find(membership.runs);
  LearnedCosts learned{.of = *find_class(found->second)};
  const ClassMember member{.gops = peak_of(spec, learned.of->peak) / 1e9,
                           .threads = membership.threads,
                           .group = membership.group};
  std::vector<MeasuredWork> points;
  for (const MeasuredPoint& point : membership.points) {
    const bool works = std::ranges::any_of(point.work, [](double work) { return work > 0; });
    if (point.precision != learned.of->precision || !works) continue;
    const FamilyWork work = work_of(point);
    points.push_back({.work = work, .ms = point.ms, .effect = effect_of(*learned.of, work)});
  }
  learned.costs = learn_from(costs_of(*learned.of, member), points);
  learned.points = static_cast<int>(points.size());
  return learned;
}

FamilyWork work_of(const MeasuredPoint& point) {
  FamilyWork work = {};
  std::ranges::copy(point.work, work.begin());
  return work;
}

double deviations_of(const LearnedCosts& learned, const FamilyWork& network) {
  const bool known = find_network(*learned.of, network) != nullptr;
  return deviations_for(*learned.of, learned.points,
                        known ? HeldOut::Devices : HeldOut::DevicesAndNetworks);
}

}  // namespace hone
