#include "hone/workbench/fit_device.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "hone/base/progress.h"
#include "hone/base/text.h"
#include "hone/targets/device_kind.h"
#include "hone/workbench/computed_precision.h"
#include "hone/workbench/fit_learned.h"
#include "hone/workbench/minimize.h"
#include "hone/workbench/points/open_point.h"

namespace hone {
namespace {

constexpr size_t kJackknifePoints = 3;
constexpr double kFewPointsError = 0.10;
constexpr double kLeastError = 0.01;
// Keeps a parameter that the points do not determine where the catalog has it; too little to move
// one that they do.
constexpr double kLeastPull = 1e-6;
// Predictions that change by less when a parameter changes by a quarter do not feel it.
constexpr double kFelt = 1e-3;
// Of a normal distribution nine of ten are within so many deviations.
constexpr double kDeviations = 1.645;
// How far logarithms of the parameters are taken to be off, of a device that was checked against
// published times; docs/accuracy.md has what fits to a few times of an Edge TPU are worth so.
constexpr double kCheckedParameters = 0.1;
// Nine of ten published times of all simulated NPUs are within (docs/accuracy.md).
constexpr double kUsualOfNpus = 1.31;
// An interval of the points alone takes so many.
constexpr size_t kPointsOfAnInterval = 9;

// Of the points that an interval of their own takes.
double missing_part(size_t points) {
  return 1 - static_cast<double>(points) / static_cast<double>(kPointsOfAnInterval);
}

// Nine of ten times are expected within, without any point.
double stated_factor(const Device& device) {
  if (device.checked) return device.checked->factor;
  return device.analytic() != nullptr ? device.analytic()->factor : kUsualOfNpus;
}

// Points of a device that is known scatter by what networks differ, which no parameter explains:
// fewer than an interval of their own takes do not tell one from the other.
double pull_of(const Device& device, size_t points) {
  if (!device.checked || points >= kPointsOfAnInterval) return kLeastPull;
  const double scatter = std::log(device.checked->factor) / kDeviations;
  return std::pow(scatter / kCheckedParameters, 2) * missing_part(points);
}

class Fitter {
 public:
  Fitter(const Device& start, const std::vector<FitPoint>& points)
      : start_(start), points_(points), fit_(*kind_of(start).fit), fitted_{start} {}

  // Models are opened and compiled; again with the parameters found, which may change what a
  // compiler does.
  Status run() {
    Progress progress("calibrate", points_.size());
    for (size_t i = 0; i < points_.size(); ++i) {
      const auto [known, added] = networks_.emplace(label_of(points_[i]), models_.size());
      place_.push_back(known->second);
      progress.step();
      if (!added) continue;
      HONE_TRY(Graph model, open_point(points_[i], start_));
      models_.push_back(std::move(model));
      first_point_.push_back(i);
    }
    HONE_RETURN_IF_ERROR(compile());
    before_ = predictions(start_);
    for (int round = 0; round < fit_.rounds; ++round) {
      chosen_ = choose(points_.size());
      fitted_ = fit(all_points(), chosen_);
      HONE_RETURN_IF_ERROR(compile());
    }
    after_ = predictions(fitted_.device);
    return Done{};
  }

  Result<FittedDevice> result(const std::string& date) const {
    FittedDevice result{.device = fitted_.device};
    for (size_t p = 0; p < chosen_.size(); ++p) {
      result.parameters.push_back(
          {std::string(chosen_[p]->name), chosen_[p]->value(start_), fitted_.values[p]});
    }
    const std::vector<double> left_out = left_out_errors();
    for (size_t i = 0; i < points_.size(); ++i) {
      result.points.push_back({.measured = points_[i],
                               .before_ms = before_[i].ms,
                               .after_ms = after_[i].ms,
                               .before_mj = before_[i].mj,
                               .after_mj = after_[i].mj});
      if (!left_out.empty()) result.points[i].left_out = std::expm1(left_out[i]);
    }
    set_fit(left_out, date, result);
    fit_energy(result);
    return result;
  }

 private:
  using Indices = std::vector<size_t>;
  using Chosen = std::vector<const FitParameter*>;
  struct Fit {
    Device device;
    std::vector<double> values = {};  // Of the parameters that were chosen.
  };

  Status compile() {
    compiled_.clear();
    for (size_t n = 0; n < models_.size(); ++n) {
      const FitPoint& first = points_[first_point_[n]];
      Graph graph = std::move(*models_[n].clone());
      HONE_TRY(FitNetwork network,
               fit_.compile(std::move(graph), fitted_.device, precision_named(first.precision))
                   .in(first.model));
      compiled_.push_back(std::move(network));
    }
    return Done{};
  }

  Indices all_points() const {
    Indices indices(points_.size());
    std::iota(indices.begin(), indices.end(), size_t{0});
    return indices;
  }

  // Of every point; each network once.
  std::vector<FitPrediction> predictions(const Device& device) const {
    std::vector<FitPrediction> of_networks, list;
    for (const FitNetwork& network : compiled_) of_networks.push_back(network.predict(device));
    for (const size_t place : place_) list.push_back(of_networks[place]);
    return list;
  }

  // How much the predictions move when the parameter changes by a quarter either way.
  double felt(const FitParameter& parameter) const {
    double most = 0;
    for (const double by : {0.8, 1.25}) {
      Device device = start_;
      parameter.set(device, start_, by * parameter.value(start_));
      double moved = 0;
      for (const FitNetwork& point : compiled_) {
        moved += std::abs(std::log(point.predict(device).ms / point.predict(start_).ms));
      }
      most = std::max(most, moved / static_cast<double>(compiled_.size()));
    }
    return most;
  }

  Chosen choose(size_t points) const {
    std::vector<std::pair<double, const FitParameter*>> order;
    for (const FitParameter& parameter : fit_.parameters) {
      const double moves = felt(parameter);
      if (moves > kFelt) order.emplace_back(moves, &parameter);
    }
    std::ranges::stable_sort(order, std::ranges::greater{}, &decltype(order)::value_type::first);
    Chosen chosen;
    for (const auto& [moves, parameter] : order) {
      if (chosen.size() < (points + 1) / 2) chosen.push_back(parameter);
    }
    return chosen;
  }

  Fit with(const Chosen& chosen, const std::vector<double>& logs) const {
    Fit fit{start_};
    for (size_t p = 0; p < chosen.size(); ++p) {
      fit.values.push_back(chosen[p]->set(fit.device, start_, std::exp(logs[p])));
    }
    return fit;
  }

  Fit fit(const Indices& points, const Chosen& chosen) const {
    std::vector<double> start;
    for (const FitParameter* parameter : chosen)
      start.push_back(std::log(parameter->value(start_)));
    const auto misfit = [&](const std::vector<double>& logs) {
      const std::vector<FitPrediction> predicted = predictions(with(chosen, logs).device);
      double sum = 0;
      for (const size_t i : points)
        sum += square(std::log(predicted[i].ms / points_[i].latency_ms));
      for (size_t p = 0; p < logs.size(); ++p) sum += pull_ * square(logs[p] - start[p]);
      return sum;
    };
    return with(chosen, minimize(misfit, start, std::log(1.5)).at);
  }

  static double square(double x) { return x * x; }

  double log_error(size_t i, const Device& device) const {
    return std::log(compiled_[place_[i]].predict(device).ms / points_[i].latency_ms);
  }

  // Each point as a fit to all the others predicts it; empty when there are too few.
  std::vector<double> left_out_errors() const {
    if (points_.size() < kJackknifePoints) return {};
    const Chosen fewer = choose(points_.size() - 1);
    std::vector<double> errors;
    for (size_t i = 0; i < points_.size(); ++i) {
      Indices others = all_points();
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      errors.push_back(log_error(i, fit(others, fewer).device));
    }
    return errors;
  }

  static FittedInterval interval_of(const std::vector<double>& left_out) {
    double sum = 0;
    for (const double error : left_out) sum += square(error);
    const double sigma = std::sqrt(sum / static_cast<double>(left_out.size()));
    return {.error = std::max(kLeastError, std::expm1(2 * sigma)),
            .how = "twice the root mean square of the left-out errors, at least 1 %"};
  }

  FittedInterval interval_of_few(const FittedDevice& result) const {
    double worst = 0;
    for (const FittedPoint& point : result.points) {
      const double off = std::abs(std::log(point.after_ms / point.measured.latency_ms));
      worst = std::max(worst, std::expm1(off));
    }
    return {
        .error = std::max(kFewPointsError, worst),
        .how = str("the largest error that is left, and at least 10 %: ", points_.size(),
                   points_.size() == 1 ? " point is" : " points are", " too few to leave one out")};
  }

  // How much networks differ from each other, two or three of them do not tell: beside few points
  // counts what the device states without any, the less the more there are. One that was checked
  // against published times stays as far off as it is.
  FittedInterval with_stated(const FittedInterval& own) const {
    if (points_.size() >= kPointsOfAnInterval) return own;
    const double stated = std::log(stated_factor(start_)), told = std::log1p(own.error);
    if (start_.checked) {
      if (told >= stated) return own;
      return {
          .error = std::expm1(stated),
          .how = str("that of the device without points, of which it takes ", kPointsOfAnInterval)};
    }
    const double part = missing_part(points_.size());
    return {.error = std::expm1(std::hypot(told, part * stated)),
            .how = str(own.how, "; wider by the part of ", kPointsOfAnInterval,
                       " points that is missing, of a factor of ", fixed(stated_factor(start_), 2),
                       " that is expected without any")};
  }

  void set_fit(const std::vector<double>& left_out, const std::string& date,
               FittedDevice& result) const {
    CalibrationFit fit{.points = static_cast<int>(points_.size()), .date = date};
    const FittedInterval own = left_out.empty() ? interval_of_few(result) : interval_of(left_out);
    const FittedInterval interval = with_stated(own);
    fit.error = interval.error;
    const auto least = [&](double NetworkWork::*what) {
      return std::ranges::min(compiled_, {}, [&](const auto& p) { return p.work.*what; }).work.*
             what;
    };
    const auto most = [&](double NetworkWork::*what) {
      return std::ranges::max(compiled_, {}, [&](const auto& p) { return p.work.*what; }).work.*
             what;
    };
    fit.least_macs = least(&NetworkWork::macs);
    fit.most_macs = most(&NetworkWork::macs);
    fit.least_bytes = least(&NetworkWork::bytes);
    fit.most_bytes = most(&NetworkWork::bytes);
    result.intervals = {interval};
    result.device.fit = fit;
  }

  // One factor, the geometric mean of what the points ask for.
  void fit_energy(FittedDevice& result) const {
    double sum = 0, count = 0, worst = 0;
    const auto error = [](const FittedPoint& point) {
      return std::log(*point.measured.energy_mj / point.after_mj);
    };
    for (const FittedPoint& point : result.points) {
      if (!point.measured.energy_mj) continue;
      sum += error(point);
      count += 1;
    }
    if (count == 0) return;
    const double factor = std::exp(sum / count);
    fit_.scale_energy(result.device, factor);
    for (FittedPoint& point : result.points) {
      point.after_mj *= factor;
      if (point.measured.energy_mj) worst = std::max(worst, std::abs(error(point)));
    }
    result.parameters.push_back({"energy, factor", 1, factor});
    if (fit_.energy_fitted != nullptr) {
      fit_.energy_fitted(result.device, std::max(1 + kFewPointsError, std::exp(worst)),
                         str("; times ", fixed(factor, 3), " to agree with ", count,
                             count == 1 ? " measured energy" : " measured energies"));
    }
  }

  const Device& start_;
  const std::vector<FitPoint>& points_;
  const DeviceFitDef& fit_;
  const double pull_ = pull_of(start_, points_.size());
  // Networks are those of several points: each is opened and compiled once.
  std::map<std::string, size_t> networks_ = {};
  std::vector<size_t> place_ = {};        // Of each point's network.
  std::vector<size_t> first_point_ = {};  // Of each network.
  std::vector<Graph> models_ = {};
  std::vector<FitNetwork> compiled_ = {};
  Fit fitted_;
  Chosen chosen_ = {};
  std::vector<FitPrediction> before_ = {};
  std::vector<FitPrediction> after_ = {};
};

// Takes the place of what an earlier fit said.
void add_source(const std::vector<FittedParameter>& parameters, const std::string& date,
                Device& device) {
  std::vector<std::string> names;
  for (const FittedParameter& parameter : parameters) {
    names.push_back(str(parameter.name, " ", parameter.after));
  }
  std::erase_if(device.sources, [](const DeviceSource& source) { return source.figure == "fit"; });
  device.sources.push_back({"fit", str("fitted to ", device.fit->points, " measured points on ",
                                       date, ": ", names.empty() ? "nothing" : join(names))});
}

// No calibration moves a time so far: it is in another unit, or of another device.
constexpr double kMostOff = 1e3;
constexpr double kMostWatts = 1e6;
// An interval that reaches further says nothing.
constexpr double kMostFitError = 99;

Status check_fit(const FittedDevice& fit) {
  for (const FittedPoint& point : fit.points) {
    const double off = point.measured.latency_ms / point.before_ms;
    if (off >= 1 / kMostOff && off <= kMostOff) continue;
    return bad_input(point.measured.from, point.measured.from.empty() ? "" : ": ",
                     point.measured.model, ": ", point.measured.latency_ms,
                     " ms were measured where ", point.before_ms,
                     " ms are predicted; is it another unit or device?");
  }
  const AnalyticSpec* spec = fit.device.analytic();
  if (spec != nullptr && spec->power.typical_watts > spec->power.max_watts.value_or(kMostWatts)) {
    return bad_input("the measured energies say that ", fit.device.name, " draws ",
                     spec->power.typical_watts, " W, and ",
                     spec->power.max_watts.value_or(kMostWatts),
                     " W are the most that it can; are they in mJ of one run?");
  }
  if (fit.device.fit && fit.device.fit->error <= kMostFitError) return Done{};
  return bad_input("the points agree with no such device: the fit is off by more than a factor of ",
                   kMostFitError + 1);
}

Result<FittedDevice> checked(Result<FittedDevice> fit) {
  if (fit.ok()) HONE_RETURN_IF_ERROR(check_fit(*fit));
  return fit;
}

}  // namespace

Result<FittedDevice> fit_device(const Device& start, const std::vector<FitPoint>& points,
                                const std::string& date) {
  if (points.empty()) return bad_input("no points to fit ", start.name, " to");
  if (kind_of(start).fit == nullptr) {
    return unsupported("measured points cannot change a device of kind ", start.kind);
  }
  if (start.analytic() != nullptr && start.analytic()->membership) {
    return checked(fit_learned_device(start, points, date));
  }
  Device plain = start;
  plain.fit = std::nullopt;
  Fitter fitter(plain, points);
  HONE_RETURN_IF_ERROR(fitter.run());
  HONE_TRY(FittedDevice result, fitter.result(date));
  add_source(result.parameters, date, result.device);
  return checked(std::move(result));
}

}  // namespace hone
