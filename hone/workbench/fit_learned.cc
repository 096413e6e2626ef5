#include "hone/workbench/fit_learned.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "hone/base/progress.h"
#include "hone/base/text.h"
#include "hone/targets/analytic/device_program.h"
#include "hone/targets/analytic/learned_costs.h"
#include "hone/workbench/points/open_point.h"

namespace hone {
namespace {

Result<MeasuredPoint> measured_point(const FitPoint& point, const Device& device) {
  const ClassMembership& membership = *device.analytic()->membership;
  const bool told = !point.precision.empty() && point.precision != "int8";
  HONE_TRY(Graph graph, open_point(point, device));
  HONE_TRY(const DeviceProgram program,
           device_program(std::move(graph),
                          {.floats = told ? point.precision : float_precision(membership),
                           .runtime = runtime_of(*device.analytic())})
               .in(point.model));
  const FamilyWork work = work_of(program);
  MeasuredPoint measured{.model = label_of(point),
                         .precision = main_precision(program),
                         .ms = point.latency_ms,
                         .work = {work.begin(), work.end()}};
  if (!membership.classes.contains(measured.precision)) {
    return unsupported(point.model, " computes in ", measured.precision,
                       ", and the device has no class for that");
  }
  return measured;
}

using CostsByPrecision = std::map<std::string, LearnedCosts>;

CostsByPrecision costs_in_precisions(const AnalyticSpec& spec,
                                     std::span<const MeasuredPoint> points) {
  CostsByPrecision costs;
  for (const MeasuredPoint& point : points) {
    if (costs.contains(point.precision)) continue;
    costs.emplace(point.precision, learned_costs(spec, point.precision));
  }
  return costs;
}

CostPrediction predicted(const LearnedCosts& learned, const MeasuredPoint& point) {
  const FamilyWork work = work_of(point);
  return predict_costs(learned.costs, work, effect_of(*learned.of, work));
}

double half_width(const LearnedCosts& learned, const MeasuredPoint& point) {
  return std::expm1(log_width_of(learned, work_of(point), predicted(learned, point).deviation));
}

// Null for a point that tells nothing, as one of a network without work.
const LeftOutPoint* left_out_of(const LearnedCosts& learned, size_t place) {
  const auto found = std::ranges::find(learned.own, place, &OwnPoint::place);
  return found == learned.own.end() ? nullptr : &found->left_out;
}

// Few points may agree by chance.
constexpr double kLeastPowerFactor = 1.1;

// Energy is power times time: one factor, the geometric mean of what the points ask for.
void fit_power(FittedDevice& fit) {
  AnalyticSpec& spec = *fit.device.analytic();
  double sum = 0, count = 0;
  for (FittedPoint& point : fit.points) {
    point.before_mj = spec.power.typical_watts * point.before_ms;
    point.after_mj = spec.power.typical_watts * point.after_ms;
    if (!point.measured.energy_mj) continue;
    sum += std::log(*point.measured.energy_mj / point.after_mj);
    count += 1;
  }
  if (count == 0) return;
  const double factor = std::exp(sum / count);
  spec.power.typical_watts *= factor;
  spec.power.idle_watts *= factor;
  spec.power.busy_watts.reset();  // The points say what is drawn, whatever others drew.
  double worst = std::log(kLeastPowerFactor);
  for (FittedPoint& point : fit.points) {
    point.after_mj *= factor;
    if (!point.measured.energy_mj) continue;
    worst = std::max(worst, std::abs(std::log(*point.measured.energy_mj / point.after_mj)));
  }
  spec.power.factor = std::exp(worst);
  fit.parameters.push_back({"energy, factor", 1, factor});
}

// Less is no more than chance.
constexpr double kWorthTelling = 1.5;

std::string how_wide(const LearnedCosts& learned) {
  std::string by_class =
      "nine of ten expected within, by the errors of the class's cross-validation";
  if (learned.costs.scale > kWorthTelling) {
    by_class += str(" and with deviations ", fixed(learned.costs.scale, 1),
                    " times as large, since the points are far from what the class expects");
  }
  if (learned.widening == 1) return by_class;
  return str(by_class, ", ", fixed(learned.widening, 1),
             " times as wide in logarithms: the points agree less than the class's devices do");
}

// What was measured in one precision moves nothing of another.
void describe_precision(const std::string& precision, const LearnedCosts& learned,
                        const std::vector<MeasuredPoint>& points, FittedDevice& fit) {
  double log_ratio = 0, count = 0;
  FittedInterval interval{.of = precision, .how = how_wide(learned)};
  for (size_t i = 0; i < points.size(); ++i) {
    if (points[i].precision != precision) continue;
    log_ratio += std::log(fit.points[i].after_ms / fit.points[i].before_ms);
    count += 1;
    interval.error = std::max(interval.error, half_width(learned, points[i]));
  }
  fit.parameters.push_back(
      {str("time of these networks in ", precision, ", factor"), 1, std::exp(log_ratio / count)});
  fit.intervals.push_back(std::move(interval));
}

// Those that costs are learned from.
size_t taken_points(const FittedDevice& fit) {
  return fit.points.size() - static_cast<size_t>(fit.left_out);
}

void describe_fit(const CostsByPrecision& costs, const std::vector<MeasuredPoint>& points,
                  const std::string& date, FittedDevice& fit) {
  for (const auto& [precision, learned] : costs) {
    describe_precision(precision, learned, points, fit);
  }
  fit.device.fit =
      CalibrationFit{.points = static_cast<int>(taken_points(fit)),
                     .error = std::ranges::max(fit.intervals, {}, &FittedInterval::error).error,
                     .date = date};
  std::erase_if(fit.device.sources,
                [](const DeviceSource& source) { return source.figure == "fit"; });
  fit.device.sources.push_back(
      {"fit", str("costs of its classes, moved by ", taken_points(fit),
                  taken_points(fit) == 1 ? " measured point on " : " measured points on ", date)});
}

std::string odd_point_note(const FitPoint& point, const LeftOutPoint& found) {
  return str(point.from.empty() ? "" : point.from + ": ", label_of(point), ", ",
             fixed(point.latency_ms, 4), " ms: ", odd_text(found),
             found.is_left_out ? "; left out" : "");
}

}  // namespace

Result<FittedDevice> fit_learned_device(const Device& start, const std::vector<FitPoint>& points,
                                        const std::string& date) {
  FittedDevice fit{.device = start};
  ClassMembership& membership = *fit.device.analytic()->membership;
  const size_t old = membership.points.size();
  std::map<std::string, MeasuredPoint> networks;
  std::vector<MeasuredPoint> measured;
  Progress progress("calibrate", points.size());
  for (const FitPoint& point : points) {
    const std::string key = label_of(point);
    if (!networks.contains(key)) {
      HONE_TRY(networks[key], measured_point(point, start));
    }
    measured.push_back(networks[key]);
    measured.back().ms = point.latency_ms;
    membership.points.push_back(measured.back());
    progress.step();
  }
  const CostsByPrecision before = costs_in_precisions(*start.analytic(), measured);
  const CostsByPrecision after = costs_in_precisions(*fit.device.analytic(), measured);
  for (size_t i = 0; i < points.size(); ++i) {
    const MeasuredPoint& point = measured[i];
    const LearnedCosts& learned = after.at(point.precision);
    fit.points.push_back({.measured = points[i],
                          .before_ms = predicted(before.at(point.precision), point).ms,
                          .after_ms = predicted(learned, point).ms});
    const LeftOutPoint* left_out = left_out_of(learned, old + i);
    if (left_out == nullptr) continue;
    fit.points.back().left_out = std::expm1(-left_out->log_off);
    if (left_out->is_left_out) ++fit.left_out;
    if (left_out->is_odd) fit.notes.push_back(odd_point_note(points[i], *left_out));
  }
  describe_fit(after, measured, date, fit);
  fit_power(fit);
  return fit;
}

}  // namespace hone
