#include "hone/profile/comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "hone/base/str.h"
#include "hone/profile/profile.h"

namespace hone {
namespace {

constexpr double kSecondsPerYear = 365.25 * 86400;
constexpr double kJoulesPerKwh = 3.6e6;

// The logarithm of what the upper bound is times the value; 0 without one.
double log_width(const Metric& metric) {
  return metric.high ? std::log(*metric.high / *metric.value) : 0;
}

// Energy that is watts times a predicted time is as uncertain as both: what the time does not
// explain is the watts'.
Metric power_of(const Metric& energy, const Metric& time) {
  if (!energy.value) return unavailable("power", "W", energy.note);
  const double watts = *energy.value / *time.value;
  Metric power{.name = "power", .value = watts, .unit = "W", .mode = energy.mode, .n = energy.n};
  const double of_energy = log_width(energy), of_time = log_width(time);
  if (energy.low && of_energy > of_time * (1 + 1e-6)) {
    const double either_way = std::exp(std::sqrt(of_energy * of_energy - of_time * of_time));
    power.low = watts / either_way;
    power.high = watts * either_way;
  }
  power.note = "energy over latency";
  return power;
}

// `metric` times a number, under another name.
Metric scaled(const Metric& metric, double by, std::string name, std::string unit) {
  if (!metric.value) return unavailable(std::move(name), std::move(unit), metric.note);
  Metric result = metric;
  result.name = std::move(name);
  result.unit = std::move(unit);
  *result.value *= by;
  if (result.low) *result.low *= by;
  if (result.high) *result.high *= by;
  return result;
}

Metric throughput_of(const Metric& time, int64_t batch) {
  const double ms_samples = 1e3 * static_cast<double>(batch);
  Metric result = time;
  result.name = "throughput";
  result.unit = "1/s";
  result.value = ms_samples / *time.value;
  result.low = time.high ? std::optional(ms_samples / *time.high) : std::nullopt;
  result.high = time.low && *time.low > 0 ? std::optional(ms_samples / *time.low) : std::nullopt;
  result.note = batch > 1 ? str("samples, one run of ", batch, " after the other")
                          : std::string("one run after the other");
  return result;
}

// The run and the way there and back.
Metric with_copies(const Metric& time, const Metric& copies) {
  Metric whole = time;
  whole.name = "with_copies";
  if (!copies.value) {
    whole.note = copies.note;
    return whole;
  }
  *whole.value += *copies.value;
  if (whole.low) *whole.low += copies.low.value_or(*copies.value);
  if (whole.high) *whole.high += copies.high.value_or(*copies.value);
  whole.note = "latency and copies, one after the other";
  return whole;
}

Metric rent_of(const DeviceFigures& figures) {
  const char* name = "rent_per_million";
  const Metric& rate = figures.usd_per_hour;
  if (!rate.value) return unavailable(name, "USD", rate.note);
  constexpr double kMsPerHour = 3.6e6;
  Metric rent = scaled(figures.whole, 1e6 * *rate.value / kMsPerHour, name, "USD");
  rent.mode = figures.whole.mode == Mode::Measured ? Mode::Measured : Mode::Predicted;
  rent.note = str("at ", *rate.value, " USD an hour, copies included");
  return rent;
}

Metric cost_of(const CompareTerms& terms, const DeviceFigures& figures, bool with_energy) {
  const char* name = "cost_per_million";
  const Metric& time = figures.whole;
  const Metric energy = with_energy ? figures.energy : Metric{.name = "energy", .value = 0};
  if (!figures.price.value) return unavailable(name, "USD", figures.price.note);
  if (!energy.value) return unavailable(name, "USD", energy.note);
  const auto usd = [&](double ms, double mj) {
    const double device = *figures.price.value * ms * 1e-3 / (terms.life_years * kSecondsPerYear);
    return 1e6 * (device + mj * 1e-3 / kJoulesPerKwh * terms.price_per_kwh);
  };
  Metric cost{.name = name, .value = usd(*time.value, *energy.value), .unit = "USD"};
  cost.mode = Mode::Predicted;
  cost.low = usd(time.low.value_or(*time.value), energy.low.value_or(*energy.value));
  cost.high = usd(time.high.value_or(*time.value), energy.high.value_or(*energy.value));
  cost.note = str("price over ", terms.life_years, " years of work without a pause, ");
  cost.note += with_energy ? str("and energy at ", terms.price_per_kwh, " USD/kWh")
                           : std::string("without energy, which is not of the same everywhere");
  return cost;
}

// Which devices have an energy of the same kind, by the kind.
std::map<std::string, std::vector<std::string>> by_energy(const DeviceComparison& comparison) {
  std::map<std::string, std::vector<std::string>> kinds;
  for (const DeviceFigures& device : comparison.devices) {
    if (device.failed.empty() && device.energy.value) {
      kinds[device.energy_of].push_back(device.device);
    }
  }
  return kinds;
}

std::string why_energy_is_left_out(const DeviceComparison& comparison) {
  const auto kinds = by_energy(comparison);
  if (kinds.size() < 2) return "";
  std::vector<std::string> parts;
  for (const auto& [kind, devices] : kinds) {
    parts.push_back(str("of the ", kind, " for ", join(devices)));
  }
  return str("energy does not count for *, since it is ", join(parts, "; "));
}

// The less, the better.
struct Axis {
  std::string name;
  std::function<std::optional<double>(const DeviceFigures&)> value;
};

std::vector<Axis> axes_of(const DeviceComparison& comparison) {
  const double sign = comparison.more_accuracy_is_better ? -1 : 1;
  std::vector<Axis> axes = {{comparison.has_copies() ? "run with copies" : "latency",
                             [](const DeviceFigures& d) { return d.waited()->value; }},
                            {"energy", [](const DeviceFigures& d) { return d.energy.value; }},
                            {"price", [](const DeviceFigures& d) { return d.price.value; }},
                            {"accuracy", [sign](const DeviceFigures& d) {
                               return d.accuracy.value ? std::optional(sign * *d.accuracy.value)
                                                       : std::nullopt;
                             }}};
  std::erase_if(axes, [&](const Axis& axis) {
    if (axis.name == "energy" && by_energy(comparison).size() > 1) return true;
    return std::ranges::none_of(comparison.devices, [&](const DeviceFigures& device) {
      return device.failed.empty() && axis.value(device);
    });
  });
  return axes;
}

// What is not known of b counts for neither; what is known of b alone, a may be worse in.
bool beats(const std::vector<Axis>& axes, const DeviceFigures& a, const DeviceFigures& b) {
  bool better = false;
  for (const Axis& axis : axes) {
    const std::optional<double> of_a = axis.value(a), of_b = axis.value(b);
    if (!of_b) continue;
    if (!of_a || *of_a > *of_b) return false;
    better = better || *of_a < *of_b;
  }
  return better;
}

}  // namespace

const Metric* DeviceFigures::typical() const {
  return find_metric(latency, "median");
}

const Metric* DeviceFigures::waited() const {
  return whole.value ? &whole : typical();
}

bool DeviceComparison::has_copies() const {
  return std::ranges::any_of(devices, [](const DeviceFigures& device) {
    return device.failed.empty() && device.copies.value;
  });
}

void derive_figures(const CompareTerms& terms, DeviceFigures& figures) {
  const Metric& time = *figures.typical();
  const auto runs = static_cast<double>(terms.runs);
  figures.throughput = throughput_of(time, terms.batch);
  figures.power = power_of(figures.energy, time);
  if (!figures.whole.value) figures.whole = with_copies(time, figures.copies);
  figures.rent = rent_of(figures);
  figures.cost = cost_of(terms, figures, true);
  if (!figures.total_time.value) {
    figures.total_time = scaled(time, runs / 1e3, "total_time", "s");
    figures.total_time.note = str(terms.runs, " runs of the median");
  }
  figures.total_energy = scaled(figures.energy, runs / 1e3, "total_energy", "J");
}

void price_alike(DeviceComparison& comparison) {
  comparison.cost_has_energy = by_energy(comparison).size() < 2;
  if (comparison.cost_has_energy) return;
  for (DeviceFigures& device : comparison.devices) {
    if (device.failed.empty()) device.cost = cost_of(comparison.terms, device, false);
  }
}

void mark_pareto(DeviceComparison& comparison) {
  const std::vector<Axis> axes = axes_of(comparison);
  comparison.pareto_axes.clear();
  comparison.energy_left_out = why_energy_is_left_out(comparison);
  for (const Axis& axis : axes) comparison.pareto_axes.push_back(axis.name);
  for (DeviceFigures& device : comparison.devices) {
    device.pareto = device.failed.empty() &&
                    std::ranges::none_of(comparison.devices, [&](const DeviceFigures& other) {
                      return other.failed.empty() && beats(axes, other, device);
                    });
  }
}

}  // namespace hone
