// What measured points may change of a device, and how they are predicted meanwhile.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/device/device.h"
#include "hone/graph/graph.h"
#include "hone/targets/common/modelled_metrics.h"
#include "hone/targets/target.h"

namespace hone {

struct FitParameter {
  std::string_view name;
  // Of the device as it is: 1 for a factor. More than 0: the fit moves logarithms.
  double (*value)(const Device& device);
  // Gives `device`, a copy of `start`, another value, and returns it: the nearest that is allowed.
  double (*set)(Device& device, const Device& start, double value);
};

struct FitPrediction {
  double ms = 0;
  double mj = 0;
};

// A network as a point of a fit: compiled once, then asked for its time under other parameters.
struct FitNetwork {
  std::function<FitPrediction(const Device&)> predict = {};
  NetworkWork work = {};
};

// Of one kind of device.
struct DeviceFitDef {
  std::span<const FitParameter> parameters;
  // Times to compile and fit: once more where parameters change what the compiler does.
  int rounds;
  // `floats` is the precision of what the graph leaves as floats, where the device has the choice.
  Result<FitNetwork> (*compile)(Graph graph, const Device& device, Precision floats);
  // Those that networks can be priced in.
  std::vector<std::string> (*precisions)(const Device& device);
  // Every figure of energy times `factor`.
  void (*scale_energy)(Device& device, double factor);
  // Energies are now within `error` of the measured ones, as `how` says. May be null.
  void (*energy_fitted)(Device& device, double error, const std::string& how) = nullptr;
};

}  // namespace hone
