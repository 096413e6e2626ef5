#include "hone/report/model_choice_text.h"

#include <algorithm>
#include <utility>

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

// Null where none runs.
const DeviceComparison* fastest_there(const ModelComparison& comparison, size_t device) {
  const DeviceComparison* fastest = nullptr;
  const auto ms = [&](const DeviceComparison& m) { return *m.devices[device].typical()->value; };
  for (const DeviceComparison& model : comparison.models) {
    if (!model.devices[device].failed.empty()) continue;
    if (fastest == nullptr || ms(model) < ms(*fastest)) fastest = &model;
  }
  return fastest;
}

std::string fastest_line(const ModelComparison& comparison, size_t device) {
  const DeviceComparison* fastest = fastest_there(comparison, device);
  if (fastest == nullptr) return "none runs there";
  return "the fastest is " + with_figures(comparison, device, fastest->model);
}

// " within 5.00 ms on phone".
std::string within_limit(const ModelComparison& comparison, const std::string& where) {
  return str(" within ", human_duration(1e-3 * *comparison.max_latency_ms), " on ", where);
}

std::vector<std::string> choice_on(const ModelComparison& comparison, size_t device) {
  const LatencyChoice& choice = *comparison.devices[device].choice;
  const auto told = [&](const std::string& model) {
    return with_figures(comparison, device, model);
  };
  const std::string within = within_limit(comparison, comparison.devices[device].device);
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

// "take B, the most accurate within 5.00 ms on phone".
std::string short_choice(const ModelComparison& comparison, const LatencyChoice& choice,
                         const std::string& where) {
  const std::string within = within_limit(comparison, where);
  if (choice.within.empty() && choice.probably.empty()) return "none is" + within;
  if (!choice.take.empty()) {
    return str("take ", choice.take, ", the most accurate", within,
               choice.take_probably.empty() ? "" : str("; or, probably, ", choice.take_probably));
  }
  if (!choice.take_probably.empty()) {
    return str("take, probably, ", choice.take_probably, ", the most accurate", within);
  }
  return str(choice.within.size(), " of ", comparison.models.size(), " are", within);
}

// Of those that run there; null where accuracies rank none.
const DeviceComparison* most_accurate(const ModelComparison& comparison, size_t device) {
  if (!comparison.devices[device].accuracy_left_out.empty()) return nullptr;
  const double sign = comparison.more_accuracy_is_better() ? 1 : -1;
  const DeviceComparison* best = nullptr;
  for (const DeviceComparison& model : comparison.models) {
    const DeviceFigures& figures = model.devices[device];
    if (!figures.failed.empty() || !figures.accuracy.value) continue;
    const auto worth = [&](const DeviceComparison& each) {
      return std::pair(sign * *each.devices[device].accuracy.value,
                       -*each.devices[device].typical()->value);
    };
    if (best == nullptr || worth(model) > worth(*best)) best = &model;
  }
  return best;
}

// "take B (80.61 %, given; 3.2 ms, predicted), the most accurate and the fastest, on phone"; empty
// where nothing is known of accuracies.
std::string advice_without_limit(const ModelComparison& comparison, size_t device) {
  const DeviceComparison* accurate = most_accurate(comparison, device);
  const DeviceComparison* fastest = fastest_there(comparison, device);
  if (accurate == nullptr || fastest == nullptr) return "";
  const std::string& where = comparison.devices[device].device;
  const std::string told = with_figures(comparison, device, accurate->model);
  if (accurate == fastest)
    return str("take ", told, ", the most accurate and the fastest, on ", where);
  return str("on ", where, " take ", told, ", the most accurate, or ",
             with_figures(comparison, device, fastest->model), ", the fastest");
}

// What to take under the limit; devices of the same answer are told together.
std::vector<std::string> advice_under_limit(const ModelComparison& comparison) {
  std::vector<std::pair<std::string, std::vector<size_t>>> answers;
  for (size_t d = 0; d < comparison.devices.size(); ++d) {
    const std::string answer = short_choice(comparison, *comparison.devices[d].choice, "");
    const auto same = std::ranges::find(answers, answer, [](const auto& e) { return e.first; });
    if (same != answers.end()) {
      same->second.push_back(d);
    } else {
      answers.push_back({answer, {d}});
    }
  }
  std::vector<std::string> parts;
  for (const auto& [answer, devices] : answers) {
    std::vector<std::string> names;
    for (const size_t d : devices) names.push_back(comparison.devices[d].device);
    const LatencyChoice& choice = *comparison.devices[devices[0]].choice;
    parts.push_back(short_choice(comparison, choice, join(names, " and ")));
  }
  return parts;
}

std::vector<std::string> advice_of_each_device(const ModelComparison& comparison) {
  std::vector<std::string> parts;
  for (size_t d = 0; d < comparison.devices.size(); ++d) {
    std::string advice = advice_without_limit(comparison, d);
    if (!advice.empty()) parts.push_back(std::move(advice));
  }
  return parts;
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
  constexpr size_t kTold = 3;  // Answers; the tables have all.
  std::vector<std::string> parts = comparison.max_latency_ms ? advice_under_limit(comparison)
                                                             : advice_of_each_device(comparison);
  parts.resize(std::min(parts.size(), kTold));
  return join(parts, "; ");
}

}  // namespace hone
