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

// Many points take long to learn from: once for all that are asked for.
class PointPredictor {
 public:
  explicit PointPredictor(const AnalyticSpec& spec) : spec_(spec) {}

  CostPrediction predict(const MeasuredPoint& point) {
    const LearnedCosts& learned = costs(point.precision);
    const FamilyWork work = work_of(point);
    return predict_costs(learned.costs, work, effect_of(*learned.of, work));
  }

  double half_width(const MeasuredPoint& point) {
    const double deviation = predict(point).deviation;
    return std::expm1(log_width_of(costs(point.precision), work_of(point), deviation));
  }

 private:
  const LearnedCosts& costs(const std::string& precision) {
    const auto known = costs_.find(precision);
    if (known != costs_.end()) return known->second;
    return costs_.emplace(precision, learned_costs(spec_, precision)).first->second;
  }

  const AnalyticSpec& spec_;
  std::map<std::string, LearnedCosts> costs_ = {};
};

// Each point is left out by itself or, where there are more, together with some others.
constexpr size_t kMostLeftOut = 64;

// Of the points from `first` on, each as a fit without its group predicts it, against what was
// measured.
std::vector<double> left_out_errors(const Device& fitted, size_t first) {
  const std::vector<MeasuredPoint>& points = fitted.analytic()->membership->points;
  const size_t count = points.size() - first, groups = std::min(count, kMostLeftOut);
  std::vector<double> errors(count);
  for (size_t group = 0; group < groups; ++group) {
    AnalyticSpec without = *fitted.analytic();
    std::vector<MeasuredPoint>& kept = without.membership->points;
    kept.assign(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(first));
    for (size_t i = 0; i < count; ++i) {
      if (i % groups != group) kept.push_back(points[first + i]);
    }
    PointPredictor others(without);
    for (size_t i = group; i < count; i += groups) {
      errors[i] = others.predict(points[first + i]).ms / points[first + i].ms - 1;
    }
  }
  return errors;
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
  PointPredictor fitted(*fit.device.analytic());
  double log_ratio = 0, widest = 0;
  CalibrationFit told{.points = static_cast<int>(points.size()), .date = date};
  for (size_t i = 0; i < points.size(); ++i) {
    log_ratio += std::log(fit.points[i].after_ms / fit.points[i].before_ms);
    widest = std::max(widest, fitted.half_width(points[i]));
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
  const std::vector<double> left_out = left_out_errors(fit.device, old);
  PointPredictor before(*start.analytic()), after(*fit.device.analytic());
  for (size_t i = 0; i < points.size(); ++i) {
    fit.points.push_back({.measured = points[i],
                          .before_ms = before.predict(measured[old + i]).ms,
                          .after_ms = after.predict(measured[old + i]).ms});
    fit.points.back().left_out = left_out[i];
  }
  describe_fit({measured.begin() + static_cast<std::ptrdiff_t>(old), measured.end()}, date, fit);
  fit_power(fit);
  return fit;
}

}  // namespace hone
