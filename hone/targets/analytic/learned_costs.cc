#include "hone/targets/analytic/learned_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/device/class_file.h"
#include "hone/targets/analytic/predict.h"

namespace hone {
namespace {

constexpr double kGuessVariance = 0.16;  // Of the logarithm of all costs.
// Chips that are slow in one precision are slow in others, by about half as much in logarithms.
constexpr double kSharedLevel = 0.5;

// Costs of a precision that nobody measured: by the peaks, and that not surely.
void guess_costs(FamilyCosts& costs, double peak, double measured_peak) {
  FamilyWork ones = {};
  ones.fill(1);
  for (double& log_ns : costs.log_ns) log_ns += std::log(measured_peak / peak);
  add_square(costs.covariance, ones, kGuessVariance);
}

void learn_from_points(const ClassMembership& membership, const ClassMember& member,
                       LearnedCosts& learned) {
  std::vector<MeasuredWork> points;
  for (size_t p = 0; p < membership.points.size(); ++p) {
    const MeasuredPoint& point = membership.points[p];
    const bool works = std::ranges::any_of(point.work, [](double work) { return work > 0; });
    if (point.precision != learned.precision || !works) continue;
    const FamilyWork work = work_of(point);
    points.push_back({.work = work, .ms = point.ms, .effect = effect_of(*learned.of, work)});
    learned.own.push_back({.place = p, .work = work});
    learned.known.push_back(work);
  }
  const std::vector<LeftOutPoint> left_out = leave_out_points(*learned.of, member, points);
  std::vector<MeasuredWork> taken;
  for (size_t p = 0; p < points.size(); ++p) {
    learned.own[p].left_out = left_out[p];
    if (!left_out[p].is_left_out) taken.push_back(points[p]);
  }
  learned.costs = learn_from(costs_of(*learned.of, member), taken);
  learned.points = static_cast<int>(taken.size());
  learned.widening = widening_of(left_out);
}

ClassMember member_of(const ClassMembership& membership, double gops) {
  return {.gops = gops, .threads = membership.threads, .group = membership.group};
}

// Of a precision that the device has a class for.
LearnedCosts costs_by_own_points(const AnalyticSpec& spec, const std::string& precision) {
  const ClassMembership& membership = *spec.membership;
  LearnedCosts learned{.of = *find_class(membership.classes.at(precision)), .precision = precision};
  const bool any_peak = learned.of->peak == kAnyPrecision;
  learned.gops = peak_of(spec, any_peak ? precision : learned.of->peak) / 1e9;
  for (const ClassNetwork& network : learned.of->networks) learned.known.push_back(network.work);
  learn_from_points(membership, member_of(membership, learned.gops), learned);
  return learned;
}

// How much longer its points say that the networks of its class take than the class does: a logarithm.
double level_of(const ClassMembership& membership, const LearnedCosts& learned) {
  const FamilyCosts expected = costs_of(*learned.of, member_of(membership, learned.gops));
  double level = 0;
  for (const ClassNetwork& network : learned.of->networks) {
    level += std::log(predict_costs(learned.costs, network.work).ms /
                      predict_costs(expected, network.work).ms);
  }
  return level / static_cast<double>(learned.of->networks.size());
}

// What the points in another precision say, of those with the most.
void share_level(const AnalyticSpec& spec, LearnedCosts& learned) {
  int most = 0;
  double level = 0;
  for (const auto& [precision, of_class] : spec.membership->classes) {
    if (precision == learned.precision) continue;
    const LearnedCosts other = costs_by_own_points(spec, precision);
    if (other.points <= most) continue;
    most = other.points;
    level = kSharedLevel * level_of(*spec.membership, other);
    learned.shared = {precision, std::exp(level)};
  }
  for (double& log_ns : learned.costs.log_ns) log_ns += level;
}

// That costs are taken from: the precision itself where there is a class for it.
std::string known_precision(const AnalyticSpec& spec, std::string_view precision) {
  const ClassMembership& membership = *spec.membership;
  if (membership.classes.contains(precision)) return std::string(precision);
  return runs_integers_as_fp32(spec, precision) ? "fp32" : membership.runs;
}

}  // namespace

bool runs_integers_as_fp32(const AnalyticSpec& spec, std::string_view precision) {
  const auto& classes = spec.membership->classes;
  return precision == "int8" && !classes.contains(precision) && classes.contains("fp32") &&
         !spec.peak_ops.contains(precision);
}

LearnedCosts learned_costs(const AnalyticSpec& spec, std::string_view precision) {
  LearnedCosts learned = costs_by_own_points(spec, known_precision(spec, precision));
  if (learned.points == 0) share_level(spec, learned);
  if (learned.precision != precision) {
    guess_costs(learned.costs, peak_of(spec, precision), peak_of(spec, learned.precision));
  }
  return learned;
}

std::string_view float_precision(const ClassMembership& membership) {
  return membership.runs == "int8" ? "fp32" : std::string_view(membership.runs);
}

Runtime runtime_of(const AnalyticSpec& spec) {
  return (*find_class(spec.membership->classes.find(spec.membership->runs)->second))->runtime;
}

FamilyWork work_of(const MeasuredPoint& point) {
  FamilyWork work = {};
  std::ranges::copy(point.work, work.begin());
  return work;
}

double longest_told_ms(const LearnedCosts& learned) {
  constexpr double kLeastSpan = 4;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const FamilyWork& work : learned.known) {
    const double ms = predict_costs(learned.costs, work).ms;
    least = std::min(least, ms);
    most = std::max(most, ms);
  }
  return most * std::max(kLeastSpan, most / least);
}

double log_width_of(const LearnedCosts& learned, const FamilyWork& network, double deviation) {
  return learned.widening * class_log_width(*learned.of, learned.points, network, deviation);
}

}  // namespace hone
