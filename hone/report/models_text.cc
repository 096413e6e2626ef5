#include "hone/report/models_text.h"

#include <algorithm>
#include <functional>
#include <set>

#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/report/compare_cells.h"

namespace hone {
namespace {

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

std::string batch_label(const DeviceComparison& model) {
  return model.terms.batch > 1 ? str(model.model, ", batch ", model.terms.batch) : model.model;
}

// What latency, energy and price are of; empty where every run is of one sample.
std::string batches_line(const ModelComparison& comparison) {
  std::set<int64_t> batches;
  for (const DeviceComparison& model : comparison.models) batches.insert(model.terms.batch);
  if (*batches.rbegin() <= 1) return "";
  return str("latency, energy and price are of one run of the whole batch",
             batches.size() > 1 ? "; batches differ, so that they are not of the same work" : "");
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
          rows.emplace_back(std::vector{figures.device, batch_label(comparison.models[m])});
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

std::vector<std::string> models_legend(const ModelComparison& comparison, HintWords words) {
  std::vector<std::string> lines = figures_legend(all_figures(comparison), words);
  for (const std::string& line : {samples_line(comparison), batches_line(comparison)}) {
    if (!line.empty()) lines.push_back(line);
  }
  lines.push_back("memory: weights and activations together, in the device's memory");
  if (any_ranked(comparison)) {
    lines.push_back(
        "front: no other model is as good in both and better in one, by medians, where times were "
        "measured surely; dominated by: those on the front that are");
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
      lines.push_back(
          str(model.model, " on ", device, misfit ? " " : " failed: ", with_short_names(failed)));
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
