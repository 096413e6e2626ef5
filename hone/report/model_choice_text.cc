#include "hone/report/model_choice_text.h"

#include <algorithm>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/compare_cells.h"

namespace hone {
namespace {

// "3.2 ms (1.8 to 5.6), predicted"; "80.61 %, given"; "top1 0.908, measured".
std::string in_words(const Metric& metric, int digits = 3) {
  std::string number = figure_cell(&metric, digits);
  number.resize(number.rfind(' '));
  const size_t end = std::min(number.find(' '), number.size());
  const std::string unit = metric.unit.empty() ? "" : " " + metric.unit;
  const std::string name = metric.unit.empty() ? metric.name + " " : "";
  return str(name, number.substr(0, end), unit, number.substr(end), ", ", mode_name(metric.mode));
}

const DeviceFigures* figures_named(const ModelComparison& comparison, size_t device,
                                   const std::string& model) {
  for (const DeviceComparison& each : comparison.models) {
    if (each.model == model && each.devices[device].failed.empty()) return &each.devices[device];
  }
  return nullptr;
}

// "B (80.61 %, given; 3.2 ms (1.8 to 5.6), predicted)".
std::string with_figures(const ModelComparison& comparison, size_t device,
                         const std::string& model) {
  const DeviceFigures* figures = figures_named(comparison, device, model);
  if (figures == nullptr) return model;
  std::string text;
  if (figures->accuracy.value) text = in_words(figures->accuracy, kAccuracyDigits) + "; ";
  return str(model, " (", text, in_words(*figures->typical()), ")");
}

std::string fastest_line(const ModelComparison& comparison, size_t device) {
  const std::string* fastest = nullptr;
  double least = 0;
  for (const DeviceComparison& model : comparison.models) {
    const DeviceFigures& figures = model.devices[device];
    if (!figures.failed.empty()) continue;
    const double ms = *figures.typical()->value;
    if (fastest != nullptr && ms >= least) continue;
    fastest = &model.model;
    least = ms;
  }
  if (fastest == nullptr) return "none runs there";
  return "the fastest is " + with_figures(comparison, device, *fastest);
}

// " 5.00 ms on phone".
std::string limit_words(const ModelComparison& comparison, size_t device) {
  return str(" ", human_duration(1e-3 * *comparison.max_latency_ms), " on ",
             comparison.devices[device].device);
}

std::vector<std::string> choice_on(const ModelComparison& comparison, size_t device) {
  const LatencyChoice& choice = *comparison.devices[device].choice;
  const auto told = [&](const std::string& model) {
    return with_figures(comparison, device, model);
  };
  const std::string within = " within" + limit_words(comparison, device);
  if (choice.within.empty() && choice.probably.empty()) {
    return {str("none is", within, ": ", fastest_line(comparison, device))};
  }
  if (choice.take.empty() && choice.take_probably.empty()) {
    return {str(within.substr(1), ": ",
                choice.within.empty() ? "none for sure" : join(choice.within),
                choice.probably.empty() ? "" : "; probably: " + join(choice.probably))};
  }
  if (choice.take.empty()) {
    return {str("take, probably, ", told(choice.take_probably), ": the most accurate", within,
                " by its median; to its end no interval is")};
  }
  const DeviceFigures* taken = figures_named(comparison, device, choice.take);
  const bool stated = taken != nullptr && taken->typical()->high;
  std::vector<std::string> lines = {
      str("take ", told(choice.take), ": the most accurate", within,
          stated ? " to the end of its interval" : "; no interval is stated")};
  if (!choice.take_probably.empty()) {
    lines.push_back(str("probably within it, and more accurate: ", told(choice.take_probably)));
  }
  return lines;
}

}  // namespace

std::vector<std::string> choice_lines(const ModelComparison& comparison) {
  std::vector<std::string> lines;
  for (size_t d = 0; d < comparison.devices.size(); ++d) {
    if (!comparison.devices[d].choice) continue;
    for (std::string& line : choice_on(comparison, d)) lines.push_back(std::move(line));
  }
  return lines;
}

std::string choice_headline(const ModelComparison& comparison) {
  if (comparison.devices.size() != 1 || !comparison.devices[0].choice) return "";
  const LatencyChoice& choice = *comparison.devices[0].choice;
  const std::string within = " within" + limit_words(comparison, 0);
  if (choice.within.empty() && choice.probably.empty()) return str("none is", within);
  if (!choice.take.empty()) {
    return str("take ", choice.take, ", the most accurate", within,
               choice.take_probably.empty() ? "" : str("; or, probably, ", choice.take_probably));
  }
  if (!choice.take_probably.empty()) {
    return str("take, probably, ", choice.take_probably, ", the most accurate", within);
  }
  return str(choice.within.size(), " of ", comparison.models.size(), " are", within);
}

}  // namespace hone
