#include "hone/report/compare_verdict.h"

#include <algorithm>

#include "hone/base/str.h"
#include "hone/report/document/svg.h"
#include "hone/report/model_choice_text.h"

namespace hone {
namespace {

// Something that has a name, and what is compared of it.
struct Contender {
  std::string name = {};
  const Metric* metric = nullptr;
};

double low_end(const Metric& metric) {
  return metric.low.value_or(*metric.value);
}

// "npu is the fastest of 3 devices, 0.0486 ms (simulated), though the intervals allow cpu".
std::string least_of(const std::vector<Contender>& contenders, std::string_view what,
                     std::string_view of) {
  const auto value = [](const Contender& each) { return *each.metric->value; };
  const Contender& best = *std::ranges::min_element(contenders, {}, value);
  std::vector<std::string> maybe;
  for (const Contender& other : contenders) {
    const bool overlaps = low_end(*other.metric) <= best.metric->high.value_or(value(best));
    if (&other != &best && overlaps) maybe.push_back(other.name);
  }
  const std::string count =
      contenders.size() > 1 && !of.empty() ? str(" of ", contenders.size(), " ", of) : "";
  return str(best.name, " ", what, count, ", ", svg_number(value(best)), " ", best.metric->unit,
             " (", mode_name(best.metric->mode), ")",
             maybe.empty() ? "" : str(", though the intervals allow ", join(maybe, " or ")));
}

void add_known(const std::string& name, const Metric* metric, std::vector<Contender>& list) {
  if (metric != nullptr && metric->value.value_or(0) > 0) list.push_back({name, metric});
}

std::string fastest_model(const ModelComparison& comparison, size_t device) {
  std::vector<Contender> times;
  for (const DeviceComparison& model : comparison.models) {
    add_known(model.model, model.devices[device].typical(), times);
  }
  const std::string& where = comparison.devices[device].device;
  if (times.empty()) return str("none runs on ", where);
  return str("on ", where, " ", least_of(times, "is the fastest", "models"));
}

}  // namespace

std::string comparison_verdict(const DeviceComparison& comparison) {
  std::vector<Contender> times, energies;
  for (const DeviceFigures& device : comparison.devices) {
    if (!device.failed.empty()) continue;
    add_known(device.device, device.waited(), times);
    add_known(device.device, &device.energy, energies);
  }
  if (times.empty()) return "it runs on none of them";
  std::string text = least_of(times, "is the fastest", "devices");
  if (comparison.energy_left_out.empty() && energies.size() > 1) {
    text += str("; ", least_of(energies, "takes the least energy", ""));
  }
  const auto failed = std::ranges::count_if(
      comparison.devices, [](const DeviceFigures& device) { return !device.failed.empty(); });
  return failed == 0 ? text : str(text, "; it does not run on ", failed, " more");
}

std::string models_verdict(const ModelComparison& comparison) {
  const std::string choice = choice_headline(comparison);
  if (!choice.empty()) return choice;
  constexpr size_t kTold = 3;  // Devices; the tables have all.
  std::vector<std::string> parts;
  for (size_t d = 0; d < comparison.devices.size() && d < kTold; ++d) {
    parts.push_back(fastest_model(comparison, d));
  }
  return join(parts, "; ");
}

}  // namespace hone
