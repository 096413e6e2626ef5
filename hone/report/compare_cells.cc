#include "hone/report/compare_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/profile.h"

namespace hone {
namespace {

using Cells = std::vector<std::string>;

// As many digits that mean something: "0.0456", "1.23", "12345".
std::string short_number(double value, int digits) {
  return std::abs(value) >= 1000 ? fixed(value, 0) : fmt::format("{:.{}g}", value, digits);
}

std::string_view mode_mark(Mode mode) {
  switch (mode) {
    case Mode::Exact:
      return "exact";
    case Mode::Measured:
      return "meas";
    case Mode::Emulated:
      return "emul";
    case Mode::Simulated:
      return "sim";
    case Mode::Predicted:
      return "pred";
    case Mode::Given:
      return "given";
  }
  return "";
}

// Of one sample of a run.
Metric part_of(Metric metric, int64_t batch) {
  for (std::optional<double>* value : {&metric.value, &metric.low, &metric.high}) {
    if (*value) **value /= static_cast<double>(batch);
  }
  return metric;
}

const Metric* latency_of(const DeviceFigures& device, std::string_view name) {
  return find_metric(device.latency, name);
}

// What the words behind "energy of the" mean, of those that are there.
std::string energy_line(const DeviceComparison& comparison) {
  constexpr std::pair<std::string_view, std::string_view> kMeanings[] = {
      {"chip", "the board around it left out"},
      {"device", "the whole of it, at what it typically draws while it runs a network"},
      {"meters", "what the meters of this machine cover"}};
  std::vector<std::string> parts;
  for (const auto& [word, meaning] : kMeanings) {
    if (std::ranges::count(comparison.devices, word, &DeviceFigures::energy_of) > 0) {
      parts.push_back(str(word, ", ", meaning));
    }
  }
  return parts.empty() ? "" : str("energy of the ", join(parts, "; "));
}

std::string precision_line(const DeviceComparison& comparison, HintWords words) {
  std::set<std::string> precisions;
  for (const DeviceFigures& device : comparison.devices) {
    if (device.failed.empty()) precisions.insert(device.precision);
  }
  if (precisions.size() < 2) return "";
  return "precisions differ; one for all compares like with like" +
         in_brackets({HintKind::SamePrecision}, words);
}

std::string accuracy_name(const DeviceComparison& comparison) {
  for (const DeviceFigures& device : comparison.devices) {
    const Metric& accuracy = device.accuracy;
    if (accuracy.value) return accuracy.name + (accuracy.unit.empty() ? "" : ", " + accuracy.unit);
  }
  return "";
}

std::string provenance_line(const DeviceComparison& comparison) {
  const auto is_given = [](const Metric& metric) {
    return metric.value && metric.mode == Mode::Given;
  };
  const bool given = std::ranges::any_of(comparison.devices, [&](const DeviceFigures& device) {
    return is_given(device.accuracy) || is_given(device.usd_per_hour);
  });
  return str("meas: measured, emul: emulated, sim: simulated, pred: predicted",
             given ? ", given: told by the user and not looked at here" : "",
             "; in brackets the interval: 95 % of a measured median, otherwise what the device's "
             "model is expected to hold");
}

std::string money_line(const DeviceComparison& comparison) {
  const CompareTerms& terms = comparison.terms;
  const bool money = std::ranges::any_of(
      comparison.devices, [](const DeviceFigures& device) { return bool(device.cost.value); });
  if (!money) return "";
  const std::string energy = comparison.cost_has_energy
                                 ? str(", and energy at ", terms.price_per_kwh, " USD/kWh")
                                 : "; without energy, which is not of the same everywhere";
  const std::string of_batch = terms.batch > 1 ? str(" of ", terms.batch) : "";
  return str("USD per million runs", of_batch, ": the price spread over ", terms.life_years,
             " years without a pause", energy);
}

// Whose copies are where: measured runs have them inside.
std::string copies_line(const DeviceComparison& comparison) {
  bool measured = false, predicted = false;
  for (const DeviceFigures& device : comparison.devices) {
    if (!device.copies.value) continue;
    (device.copies.mode == Mode::Measured ? measured : predicted) = true;
  }
  if (!measured && !predicted) return "";
  return str("copies: the model's inputs to the device and its outputs back",
             predicted ? "; predicted ones come before and behind the latency" : "",
             measured ? "; measured ones are inside of it, with the launch" : "",
             "; * and money count them, throughput and energy do not");
}

// Where both kinds are beside each other.
std::string activations_line(const DeviceComparison& comparison) {
  bool planned = false, modelled = false;
  for (const DeviceFigures& device : comparison.devices) {
    if (!device.failed.empty() || !device.activations.value) continue;
    (device.typical()->mode == Mode::Measured ? planned : modelled) = true;
  }
  if (!planned || !modelled) return "";
  return "activations: of measured targets what they plan, without inputs that are read where the "
         "caller has them; of the others all that is live at once, inputs and outputs included";
}

}  // namespace

std::string figure_cell(const Metric* metric, int digits) {
  if (metric == nullptr || !metric->value) return "-";
  const bool bytes = metric->unit == "B";
  std::string text = bytes ? human_bytes(static_cast<uint64_t>(*metric->value))
                           : short_number(*metric->value, digits);
  if (metric->low && metric->high && *metric->low != *metric->high) {
    text += str(" (", short_number(*metric->low, digits), " to ",
                short_number(*metric->high, digits), ")");
  }
  return str(text, " ", mode_mark(metric->mode));
}

std::vector<Cells> compare_cells(const DeviceComparison& comparison) {
  std::vector<Cells> rows;
  const int64_t batch = comparison.terms.batch;
  const std::string of_batch = batch > 1 ? str(" of ", batch) : "";
  const auto add = [&](const std::string& name, const auto& text_of) {
    Cells row = {name};
    for (const DeviceFigures& device : comparison.devices) {
      if (device.failed.empty()) row.push_back(text_of(device));
    }
    const bool known = std::ranges::any_of(row.begin() + 1, row.end(),
                                           [](const std::string& cell) { return cell != "-"; });
    if (known) rows.push_back(std::move(row));
  };
  const auto add_metric = [&](const std::string& name, Metric DeviceFigures::*metric) {
    add(name, [&](const DeviceFigures& device) { return figure_cell(&(device.*metric)); });
  };
  add("", [](const DeviceFigures& d) { return d.device + (d.pareto ? " *" : ""); });
  add("precision", [](const DeviceFigures& device) {
    return device.precision.empty() ? std::string("-") : device.precision;
  });
  for (const char* name : {"median", "min", "p90", "p99", "max"}) {
    add(str("latency ", name, batch > 1 ? str(", run", of_batch) : "", ", ms"),
        [&](const DeviceFigures& device) { return figure_cell(latency_of(device, name)); });
  }
  add("runs measured", [](const DeviceFigures& device) {
    const Metric& median = *device.typical();
    return median.mode == Mode::Measured ? str(median.n) : std::string("-");
  });
  if (comparison.has_copies()) {
    add_metric("copies in and out, ms", &DeviceFigures::copies);
    add_metric("run with copies, ms", &DeviceFigures::whole);
  }
  const std::string runs = str(comparison.terms.runs, " runs", of_batch, ", ");
  add_metric(batch > 1 ? "throughput, samples/s" : "throughput, 1/s", &DeviceFigures::throughput);
  add_metric(batch > 1 ? str("energy of a run", of_batch, ", mJ") : "energy, mJ",
             &DeviceFigures::energy);
  if (batch > 1) {
    add("energy of a sample, mJ", [&](const DeviceFigures& device) {
      const Metric energy = part_of(device.energy, batch);
      return figure_cell(&energy);
    });
  }
  add("energy of the", [](const DeviceFigures& device) {
    const bool told = device.energy.value && !device.energy_of.empty();
    return told ? device.energy_of : std::string("-");
  });
  add_metric("power, W", &DeviceFigures::power);
  add_metric("weights", &DeviceFigures::weights);
  add_metric("activations", &DeviceFigures::activations);
  add_metric("model size", &DeviceFigures::model_size);
  if (const std::string name = accuracy_name(comparison); !name.empty()) {
    add_metric(name, &DeviceFigures::accuracy);
  }
  add_metric("price, USD", &DeviceFigures::price);
  add_metric(str("USD per million runs", of_batch), &DeviceFigures::cost);
  add_metric("USD per hour, rented", &DeviceFigures::usd_per_hour);
  add_metric(str("USD per million runs", of_batch, ", rented"), &DeviceFigures::rent);
  add_metric(runs + "s", &DeviceFigures::total_time);
  add_metric(runs + "J", &DeviceFigures::total_energy);
  return rows;
}

std::string compare_star(const DeviceComparison& comparison) {
  std::vector<std::string> axes = comparison.pareto_axes;
  const std::string last = axes.empty() ? "" : axes.back();
  if (!axes.empty()) axes.pop_back();
  return str("no other device is ",
             axes.empty() ? str("better in ", last)
                          : str("as good in ", join(axes), " and ", last, ", and better in one"),
             "; one of which a figure is not known beats none of which it is");
}

std::vector<std::string> compare_legend(const DeviceComparison& comparison, HintWords words) {
  std::vector<std::string> lines = figures_legend(comparison, words);
  std::vector<std::string> star = {"* " + compare_star(comparison)};
  if (!comparison.energy_left_out.empty()) star.push_back(comparison.energy_left_out);
  lines.insert(lines.begin() + 1, star.begin(), star.end());
  return lines;
}

std::vector<std::string> figures_legend(const DeviceComparison& figures, HintWords words) {
  std::vector<std::string> lines = {provenance_line(figures),       energy_line(figures),
                                    precision_line(figures, words), copies_line(figures),
                                    activations_line(figures),      money_line(figures)};
  std::erase(lines, "");
  return lines;
}

std::vector<std::string> compare_notes(const DeviceComparison& comparison) {
  std::vector<std::string> lines;
  for (const DeviceFigures& device : comparison.devices) {
    if (device.failed.starts_with("does not fit: ")) {
      lines.push_back(str(device.device, " ", with_short_names(device.failed)));
    } else if (!device.failed.empty()) {
      lines.push_back(str(device.device, " failed: ", with_short_names(device.failed)));
    }
    for (const std::string& note : device.notes) lines.push_back(str(device.device, ": ", note));
  }
  return lines;
}

}  // namespace hone
