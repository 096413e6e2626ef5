// What every model of a machine says about its own numbers: how far they may be off, and whether
// the network is of the kind it was fitted to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/device/device.h"
#include "hone/targets/target.h"

namespace hone {

// What CalibrationFit counts of a network.
struct NetworkWork {
  double macs = 0;
  double bytes = 0;  // Weights, inputs and outputs of every step.
};
NetworkWork network_work(const std::vector<StepInfo>& steps);

// Of one run, without an interval.
Metric predicted_metric(std::string name, double value, std::string unit);

// What is known of a memory.
Metric exact_bytes(std::string name, size_t bytes, std::string note = "");

// Takes the value away; `why` is told instead.
void withhold(Metric& metric, const std::string& why);

// Gives the metric the interval of the device's fit, or the factor that holds without one, and says
// so in its note.
void set_interval(Metric& metric, const std::optional<CalibrationFit>& fit, double factor);
// Or that of published times, `wider` times as wide.
void set_interval(Metric& metric, const CheckedTimes& checked, double wider = 1);

// What a run of so many MACs draws: between the two figures by the logarithm of the MACs, and no
// more or less than those. The typical one where there is no other.
double watts_of_run(const DevicePower& power, double macs);

// Power times time: as uncertain as both together, which err each by itself.
Metric run_energy(const DevicePower& power, const Metric& latency, double macs);

// A sentence for each bound of the fit that the network passes; none without a fit.
std::vector<std::string> coverage_notes(const std::optional<CalibrationFit>& fit,
                                        const NetworkWork& work);

}  // namespace hone
