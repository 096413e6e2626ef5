#include "hone/workbench/fit_learned.h"

#include <algorithm>
#include <cmath>
#include <map>

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

CostPrediction predicted(const AnalyticSpec& spec, const MeasuredPoint& point) {
  const LearnedCosts learned = learned_costs(spec, point.precision);
  const FamilyWork work = work_of(point);
  return predict_costs(learned.costs, work, effect_of(*learned.of, work));
}

double half_width(const AnalyticSpec& spec, const MeasuredPoint& point) {
  const LearnedCosts learned = learned_costs(spec, point.precision);
  return std::expm1(log_width_of(learned, work_of(point), predicted(spec, point).deviation));
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
  double worst = std::log(kLeastPowerFactor);
  for (FittedPoint& point : fit.points) {
    point.after_mj *= factor;
    if (!point.measured.energy_mj) continue;
    worst = std::max(worst, std::abs(std::log(*point.measured.energy_mj / point.after_mj)));
  }
  spec.power.factor = std::exp(worst);
  fit.parameters.push_back({"energy, factor", 1, factor});
}

void describe_fit(const std::vector<MeasuredPoint>& points, const std::string& date,
                  FittedDevice& fit) {
  const AnalyticSpec& spec = *fit.device.analytic();
  double log_ratio = 0, widest = 0;
  CalibrationFit told{.points = static_cast<int>(points.size()), .date = date};
  for (size_t i = 0; i < points.size(); ++i) {
    log_ratio += std::log(fit.points[i].after_ms / fit.points[i].before_ms);
    widest = std::max(widest, half_width(spec, points[i]));
  }
  const double factor = std::exp(log_ratio / static_cast<double>(points.size()));
  fit.parameters.push_back({"time of these networks, factor", 1, factor});
  told.error = widest;
  fit.device.fit = told;
  fit.interval = "nine of ten expected within, by the errors of the class's cross-validation";
  std::erase_if(fit.device.sources,
                [](const DeviceSource& source) { return source.figure == "fit"; });
  fit.device.sources.push_back(
      {"fit", str("costs of its classes, moved by ", points.size(), " measured points on ", date)});
}

}  // namespace

Result<FittedDevice> fit_learned_device(const Device& start, const std::vector<FitPoint>& points,
                                        const std::string& date) {
  FittedDevice fit{.device = start};
  ClassMembership& membership = *fit.device.analytic()->membership;
  std::map<std::string, MeasuredPoint> networks;
  Progress progress("calibrate", points.size());
  for (const FitPoint& point : points) {
    const std::string key = label_of(point);
    if (!networks.contains(key)) {
      HONE_TRY(networks[key], measured_point(point, start));
    }
    membership.points.push_back(networks[key]);
    membership.points.back().ms = point.latency_ms;
    progress.step();
  }
  const std::vector<MeasuredPoint> measured = membership.points;
  const size_t old = measured.size() - points.size();
  for (size_t i = 0; i < points.size(); ++i) {
    const MeasuredPoint& point = measured[old + i];
    FittedPoint entry{.measured = points[i],
                      .before_ms = predicted(*start.analytic(), point).ms,
                      .after_ms = predicted(*fit.device.analytic(), point).ms};
    Device without = fit.device;
    auto& left = without.analytic()->membership->points;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(old + i));
    entry.left_out = predicted(*without.analytic(), point).ms / point.ms - 1;
    fit.points.push_back(std::move(entry));
  }
  describe_fit({measured.begin() + static_cast<std::ptrdiff_t>(old), measured.end()}, date, fit);
  fit_power(fit);
  return fit;
}

}  // namespace hone
