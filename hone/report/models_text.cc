#include "hone/report/models_text.h"

#include <algorithm>
#include <functional>
#include <set>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/compare_cells.h"

namespace hone {
namespace {

constexpr int kAccuracyDigits = 4;  // Models differ by tenths of a percent.
constexpr const char* kLatencyHeading = "latency median, ms";

// A device, and each model on it in the order of the comparison.
const DeviceFigures& figures_at(const ModelComparison& comparison, size_t device, size_t model) {
  return comparison.models[model].devices[device];
}

// On one device they go with the latency.
bool shows_costs(const ModelComparison& comparison) {
  return comparison.devices.size() > 1;
}

// All that is shown, as if it were of one model.
DeviceComparison all_figures(const ModelComparison& comparison) {
  DeviceComparison all{.terms = comparison.models[0].terms};
  for (const DeviceComparison& model : comparison.models) {
    all.cost_has_energy = all.cost_has_energy && model.cost_has_energy;
    all.devices.insert(all.devices.end(), model.devices.begin(), model.devices.end());
  }
  if (shows_costs(comparison)) return all;
  for (DeviceFigures& figures : all.devices) figures.cost = {};
  return all;
}

// "accuracy, %", or "top1".
std::string heading_of(const Metric& accuracy) {
  return accuracy.name + (accuracy.unit.empty() ? "" : ", " + accuracy.unit);
}

// Those that there are.
std::set<std::string> accuracy_headings(const ModelComparison& comparison) {
  std::set<std::string> headings;
  for (const DeviceComparison& model : comparison.models) {
    for (const DeviceFigures& figures : model.devices) {
      if (figures.accuracy.value) headings.insert(heading_of(figures.accuracy));
    }
  }
  return headings;
}

std::string why_no_figures(const DeviceFigures& figures) {
  return figures.failed.starts_with("does not fit") ? "does not fit" : "failed";
}

std::string text_or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

struct FigureColumn {
  std::string name;
  std::function<std::string(const DeviceFigures&)> cell;
};

FigureColumn metric_column(const std::string& name, Metric DeviceFigures::*metric) {
  return {name, [metric](const DeviceFigures& figures) { return figure_cell(&(figures.*metric)); }};
}

// Where they are of several kinds each cell says of which.
FigureColumn accuracy_column(const ModelComparison& comparison) {
  const std::set<std::string> headings = accuracy_headings(comparison);
  const bool several = headings.size() > 1;
  return {headings.size() == 1 ? *headings.begin() : "accuracy", [several](const DeviceFigures& f) {
            const std::string cell = figure_cell(&f.accuracy, kAccuracyDigits);
            return several && f.accuracy.value ? str(heading_of(f.accuracy), ": ", cell) : cell;
          }};
}

std::vector<FigureColumn> figure_columns(const ModelComparison& comparison) {
  std::vector<FigureColumn> columns = {
      {"precision", [](const DeviceFigures& f) { return text_or_dash(f.precision); }},
      accuracy_column(comparison),
      {kLatencyHeading, [](const DeviceFigures& f) { return figure_cell(f.typical()); }},
      metric_column("energy, mJ", &DeviceFigures::energy),
      {"energy of the",
       [](const DeviceFigures& f) { return text_or_dash(f.energy.value ? f.energy_of : ""); }},
      {"memory",
       [](const DeviceFigures& f) {
         const Metric memory = memory_of(f);
         return figure_cell(&memory);
       }},
      metric_column("model size", &DeviceFigures::model_size)};
  if (shows_costs(comparison)) {
    columns.push_back(metric_column("USD per million runs", &DeviceFigures::cost));
  }
  return columns;
}

// What failed has no figures; why not stands in place of the latency.
std::string cell_of(const FigureColumn& column, const DeviceFigures& figures) {
  if (figures.failed.empty()) return column.cell(figures);
  return column.name == kLatencyHeading ? why_no_figures(figures) : "-";
}

// Without the columns that say nothing; the first two are names.
void drop_columns(TextRows& rows, bool with_device) {
  const auto says_nothing = [&](size_t column) {
    return std::all_of(rows.begin() + 1, rows.end(),
                       [&](const auto& row) { return row[column] == "-"; });
  };
  for (size_t column = rows[0].size(); column-- > 2;) {
    if (!says_nothing(column)) continue;
    for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
  if (with_device) return;
  for (auto& row : rows) row.erase(row.begin());
}

std::string place_cell(const ModelFront& front, size_t model, const DeviceFigures& figures) {
  if (!figures.failed.empty()) return why_no_figures(figures);
  if (!front.left_out.empty()) return "-";
  const FrontPlace& place = front.places[model];
  if (place.on_front) return "front";
  if (place.dominated_by.empty()) return "-";
  return "dominated by " + join(place.dominated_by);
}

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
    return {str(within.substr(1), ": ", text_or_dash(join(choice.within)),
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

// Of two models' latencies on a device.
bool overlap(const Metric& a, const Metric& b) {
  return a.low && a.high && b.low && b.high && *a.low < *b.high && *b.low < *a.high;
}

// Whether any two latencies of that mode on one device may be in the other order.
bool any_overlap(const ModelComparison& comparison, Mode mode) {
  for (size_t d = 0; d < comparison.devices.size(); ++d) {
    for (size_t a = 0; a < comparison.models.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        const Metric* first = figures_at(comparison, d, a).typical();
        const Metric* second = figures_at(comparison, d, b).typical();
        if (first == nullptr || second == nullptr || first->mode != mode) continue;
        if (overlap(*first, *second)) return true;
      }
    }
  }
  return false;
}

// A sentence, and whom it is about.
struct SharedNote {
  std::string text;
  std::vector<std::string> names;
};

SharedNote& note_of(const std::string& text, std::vector<SharedNote>& notes) {
  const auto found = std::ranges::find(notes, text, &SharedNote::text);
  return found != notes.end() ? *found : notes.emplace_back(SharedNote{text, {}});
}

std::vector<SharedNote> shared_notes(const ModelComparison& comparison, size_t device) {
  std::vector<SharedNote> notes;
  for (const DeviceComparison& model : comparison.models) {
    for (const std::string& text : model.devices[device].notes) {
      note_of(text, notes).names.push_back(model.model);
    }
  }
  return notes;
}

bool any_runs(const ModelComparison& comparison, size_t device) {
  return std::ranges::any_of(comparison.models, [&](const DeviceComparison& model) {
    return model.devices[device].failed.empty();
  });
}

// Of what was judged here; empty where nothing was.
std::string samples_line(const ModelComparison& comparison) {
  for (const DeviceComparison& model : comparison.models) {
    for (const DeviceFigures& figures : model.devices) {
      const Metric& accuracy = figures.accuracy;
      if (!accuracy.value || accuracy.mode == Mode::Given || accuracy.n < 2) continue;
      return str(accuracy.name, " is of ", accuracy.n, " samples: small differences may be theirs");
    }
  }
  return "";
}

bool any_ranked(const ModelComparison& comparison) {
  return std::ranges::any_of(comparison.devices, [](const ModelRanking& ranking) {
    return ranking.accuracy_left_out.empty();
  });
}

}  // namespace

TextRows model_rows(const ModelComparison& comparison) {
  const std::vector<FigureColumn> columns = figure_columns(comparison);
  TextRows rows = {{"device", "model"}};
  for (const FigureColumn& column : columns) rows[0].push_back(column.name);
  for (size_t d = 0; d < comparison.devices.size(); ++d) {
    for (size_t m = 0; m < comparison.models.size(); ++m) {
      const DeviceFigures& figures = figures_at(comparison, d, m);
      std::vector<std::string>& row =
          rows.emplace_back(std::vector{figures.device, comparison.models[m].model});
      for (const FigureColumn& column : columns) row.push_back(cell_of(column, figures));
    }
  }
  drop_columns(rows, comparison.devices.size() > 1);
  return rows;
}

TextRows front_rows(const ModelComparison& comparison) {
  TextRows rows = {
      {"device", "model", "accuracy against latency", "against energy", "against memory"}};
  for (size_t d = 0; d < comparison.devices.size(); ++d) {
    const ModelRanking& ranking = comparison.devices[d];
    if (!ranking.accuracy_left_out.empty()) continue;
    for (size_t m = 0; m < comparison.models.size(); ++m) {
      std::vector<std::string>& row = rows.emplace_back();
      row = {ranking.device, comparison.models[m].model};
      for (const ModelFront& front : ranking.fronts) {
        row.push_back(place_cell(front, m, figures_at(comparison, d, m)));
      }
    }
  }
  if (rows.size() == 1) return {};
  drop_columns(rows, comparison.devices.size() > 1);
  return rows;
}

std::vector<std::string> missing_fronts(const ModelComparison& comparison, HintWords words) {
  const std::string& model = comparison.models[0].model;
  const Hint hint{HintKind::Accuracies, model.substr(model.starts_with("zoo:") ? 4 : 0)};
  std::vector<SharedNote> reasons;
  for (size_t d = 0; d < comparison.devices.size(); ++d) {
    const ModelRanking& ranking = comparison.devices[d];
    if (!ranking.accuracy_left_out.empty()) {
      const std::string help = any_runs(comparison, d) ? in_brackets(hint, words) : "";
      note_of(ranking.accuracy_left_out + help, reasons).names.push_back(ranking.device);
    }
    for (const ModelFront& front : ranking.fronts) {
      if (front.left_out.empty()) continue;
      note_of(str("no front against ", front.against, ": ", front.left_out), reasons)
          .names.push_back(ranking.device);
    }
  }
  std::vector<std::string> lines;
  for (const SharedNote& note : reasons) lines.push_back(str(join(note.names), ": ", note.text));
  return lines;
}

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

std::vector<std::string> models_legend(const ModelComparison& comparison, HintWords words) {
  std::vector<std::string> lines = figures_legend(all_figures(comparison), words);
  if (const std::string line = samples_line(comparison); !line.empty()) lines.push_back(line);
  lines.push_back("memory: weights and activations together, in the device's memory");
  if (any_ranked(comparison)) {
    lines.push_back(
        "front: no other model is as good in both and better in one, by medians; dominated by: "
        "those on the front that are");
  }
  if (any_overlap(comparison, Mode::Predicted)) {
    lines.push_back(
        "predicted latencies overlap: where they do, the order may be the other way round; only "
        "what "
        "is off for the device as a whole moves all its models alike and leaves it");
  }
  if (any_overlap(comparison, Mode::Measured)) {
    lines.push_back(
        "measured latencies overlap: where they do, the order may be the other way round");
  }
  return lines;
}

std::vector<std::string> models_notes(const ModelComparison& comparison) {
  std::vector<std::string> lines;
  for (size_t d = 0; d < comparison.devices.size(); ++d) {
    const std::string& device = comparison.devices[d].device;
    for (const DeviceComparison& model : comparison.models) {
      const std::string& failed = model.devices[d].failed;
      if (failed.empty()) continue;
      const bool misfit = failed.starts_with("does not fit: ");
      lines.push_back(str(model.model, " on ", device, misfit ? " " : " failed: ", failed));
    }
    for (const SharedNote& note : shared_notes(comparison, d)) {
      const bool of_all = note.names.size() == comparison.models.size();
      lines.push_back(
          str(of_all ? device : str(join(note.names), " on ", device), ": ", note.text));
    }
  }
  return lines;
}

}  // namespace hone
