#include "hone/targets/analytic/analytic_fit.h"

#include <algorithm>

#include "hone/targets/analytic/analytic_target.h"
#include "hone/targets/common/fit_bounds.h"

namespace hone {
namespace {

double one(const Device&) {
  return 1;
}

double scale_efficiency(Device& device, const Device& start, double value) {
  const double factor = factor_in_bounds(value);
  for (const auto& [kind, part] : start.analytic()->efficiency) {
    device.analytic()->efficiency[kind] = std::min(1.0, part * factor);
  }
  return factor;
}

// What a data sheet states stays: only the part of it that is reached moves.
double scale_bandwidth(Device& device, const Device& start, double value) {
  const double before = start.analytic()->memory_efficiency;
  double& after = device.analytic()->memory_efficiency;
  after = std::min(1.0, before * factor_in_bounds(value));
  return after / before;
}

double step_us(const Device& device) {
  return us_to_start_from(device.analytic()->step_us);
}
double set_step_us(Device& device, const Device&, double value) {
  return device.analytic()->step_us = us_in_bounds(value);
}

double run_us(const Device& device) {
  return us_to_start_from(device.analytic()->run_us);
}
double set_run_us(Device& device, const Device&, double value) {
  return device.analytic()->run_us = us_in_bounds(value);
}

constexpr FitParameter kParameters[] = {
    {"efficiency, factor", one, scale_efficiency},
    {"memory bandwidth, factor", one, scale_bandwidth},
    {"overhead.step_us", step_us, set_step_us},
    {"overhead.run_us", run_us, set_run_us},
};

Result<FitNetwork> compile(Graph graph, const Device& device, Precision floats) {
  HONE_TRY(
      const std::unique_ptr<Program> program,
      make_analytic_target(device)->compile(std::move(graph), {.threads = 1, .precision = floats}));
  const std::vector<StepInfo> steps = program->steps();
  const auto predict = [work = analytic_work(steps, floats),
                        macs = network_work(steps).macs](const Device& at) {
    const AnalyticSpec& spec = *at.analytic();
    const double ms = predict_run(spec, work) / 1e3;
    return FitPrediction{ms, ms * watts_of_run(spec.power, macs)};
  };
  return FitNetwork{predict, network_work(steps)};
}

template <class T>
std::vector<std::string> keys_of(const std::map<std::string, T, std::less<>>& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

std::vector<std::string> precisions(const Device& device) {
  const AnalyticSpec& spec = *device.analytic();
  return spec.membership ? keys_of(spec.membership->classes) : keys_of(spec.peak_ops);
}

void scale_energy(Device& device, double factor) {
  DevicePower& power = device.analytic()->power;
  power.typical_watts *= factor;
  power.idle_watts *= factor;
  if (power.busy_watts) *power.busy_watts *= factor;
}

void energy_fitted(Device& device, double error, const std::string&) {
  device.analytic()->power.factor = error;
}

}  // namespace

const DeviceFitDef analytic_fit = {.parameters = kParameters,
                                   .rounds = 1,
                                   .compile = compile,
                                   .precisions = precisions,
                                   .scale_energy = scale_energy,
                                   .energy_fitted = energy_fitted};

}  // namespace hone
