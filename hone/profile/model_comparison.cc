#include "hone/profile/model_comparison.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "hone/base/str.h"

namespace hone {
namespace {

struct Entry {
  const std::string* model;
  const DeviceFigures* figures;
};
using Entries = std::vector<Entry>;

// Every model on the device of that number.
Entries entries_of(const ModelComparison& comparison, size_t device) {
  Entries entries;
  for (const DeviceComparison& model : comparison.models) {
    entries.push_back({&model.model, &model.devices[device]});
  }
  return entries;
}

// Names of those that a predicate holds for.
template <class Holds>
std::vector<std::string> names_where(const Entries& entries, const Holds& holds) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.figures->failed.empty() && holds(*entry.figures)) names.push_back(*entry.model);
  }
  return names;
}

std::string why_accuracies_do_not_rank(const Entries& entries) {
  const auto known = [](const DeviceFigures& f) { return bool(f.accuracy.value); };
  const auto given = [](const DeviceFigures& f) { return f.accuracy.mode == Mode::Given; };
  if (std::ranges::none_of(entries, [](const Entry& e) { return e.figures->failed.empty(); })) {
    return "no model runs there";
  }
  const std::vector<std::string> with = names_where(entries, known);
  if (with.empty())
    return "no accuracy is known: nothing tells the models apart but what they cost";
  const std::vector<std::string> told =
      names_where(entries, [&](const DeviceFigures& f) { return known(f) && given(f); });
  if (!told.empty() && told.size() < with.size()) {
    return str("accuracies are not of the same kind: given for ", join(told),
               ", judged here for the others");
  }
  std::set<std::string> metrics, itself;
  for (const Entry& entry : entries) {
    const Metric& accuracy = entry.figures->accuracy;
    if (!entry.figures->failed.empty() || !accuracy.value) continue;
    metrics.insert(accuracy.name);
    if (entry.figures->accuracy_of_itself) itself.insert(accuracy.name);
  }
  if (metrics.size() > 1) return str("accuracies are not of the same kind: ", join(metrics));
  if (itself.empty()) return "";
  return str(*itself.begin(), " is of each model with itself as it was given: without labels ",
             "nothing tells which model is right more often");
}

// What is paid for accuracy.
struct CostAxis {
  const char* name;
  std::function<std::optional<double>(const DeviceFigures&)> value;
};

std::vector<CostAxis> cost_axes() {
  return {{"latency", [](const DeviceFigures& f) { return f.typical()->value; }},
          {"energy", [](const DeviceFigures& f) { return f.energy.value; }},
          {"memory", [](const DeviceFigures& f) { return memory_of(f).value; }}};
}

std::string why_there_is_no_front(const CostAxis& axis, const Entries& entries) {
  std::set<std::string> energies;
  bool any = false;
  for (const Entry& entry : entries) {
    if (!entry.figures->failed.empty() || !axis.value(*entry.figures)) continue;
    any = true;
    energies.insert(entry.figures->energy_of);
  }
  if (!any) return str("no ", axis.name, " is known");
  if (axis.name != std::string_view("energy") || energies.size() < 2) return "";
  return str("energies are not of the same: of the ", join(energies, ", of the "));
}

// What another measurement of the same may differ by, as part of it: models are measured one after the
// other.
constexpr double kRepeats = 0.03;

void bound_cost(const Metric& latency, FrontCandidate& candidate) {
  if (latency.mode != Mode::Measured || !latency.value) return;
  candidate.cost_low = (1 - kRepeats) * latency.low.value_or(*latency.value);
  candidate.cost_high = (1 + kRepeats) * latency.high.value_or(*latency.value);
}

ModelFront front_of(const CostAxis& axis, const Entries& entries, double sign) {
  ModelFront front{.against = axis.name, .left_out = why_there_is_no_front(axis, entries)};
  if (!front.left_out.empty()) return front;
  std::vector<FrontCandidate> candidates;
  for (const Entry& entry : entries) {
    FrontCandidate& candidate = candidates.emplace_back(FrontCandidate{.name = *entry.model});
    if (!entry.figures->failed.empty()) continue;
    if (entry.figures->accuracy.value) candidate.worth = sign * *entry.figures->accuracy.value;
    candidate.cost = axis.value(*entry.figures);
    if (axis.name == std::string_view("latency")) bound_cost(*entry.figures->typical(), candidate);
  }
  front.places = pareto_front(candidates);
  return front;
}

// More accurate, or as accurate and faster.
bool is_better(const Entry& a, const Entry& b, double sign) {
  const double gain = sign * (*a.figures->accuracy.value - *b.figures->accuracy.value);
  return gain > 0 || (gain == 0 && *a.figures->typical()->value < *b.figures->typical()->value);
}

// None without accuracies.
const Entry* best_of(const Entries& entries, const std::vector<std::string>& names, double sign) {
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    if (std::ranges::count(names, *entry.model) == 0 || !entry.figures->accuracy.value) continue;
    if (best == nullptr || is_better(entry, *best, sign)) best = &entry;
  }
  return best;
}

LatencyChoice choice_of(const Entries& entries, double limit_ms, bool ranked, double sign) {
  const auto surely = [&](const DeviceFigures& figures) {
    const Metric& latency = *figures.typical();
    return figures.covered && latency.high.value_or(*latency.value) <= limit_ms;
  };
  LatencyChoice choice{.within = names_where(entries, surely)};
  choice.probably = names_where(entries, [&](const DeviceFigures& figures) {
    return !surely(figures) && *figures.typical()->value <= limit_ms;
  });
  if (!ranked) return choice;
  const Entry* sure = best_of(entries, choice.within, sign);
  const Entry* likely = best_of(entries, choice.probably, sign);
  if (sure != nullptr) choice.take = *sure->model;
  if (likely == nullptr) return choice;
  const auto worth = [sign](const Entry* e) { return sign * *e->figures->accuracy.value; };
  if (sure == nullptr || worth(likely) > worth(sure)) choice.take_probably = *likely->model;
  return choice;
}

}  // namespace

bool ModelComparison::more_accuracy_is_better() const {
  return std::ranges::all_of(models, &DeviceComparison::more_accuracy_is_better);
}

Metric memory_of(const DeviceFigures& figures) {
  const Metric& weights = figures.weights;
  const Metric& activations = figures.activations;
  for (const Metric* part : {&weights, &activations}) {
    if (!part->value) return unavailable("memory", "B", part->note);
  }
  return {.name = "memory",
          .value = *weights.value + *activations.value,
          .unit = "B",
          .mode = std::max(weights.mode, activations.mode),
          .note = "weights and activations"};
}

void rank_models(ModelComparison& comparison) {
  comparison.devices.clear();
  if (comparison.models.empty()) return;
  const double sign = comparison.more_accuracy_is_better() ? 1 : -1;
  for (size_t d = 0; d < comparison.models[0].devices.size(); ++d) {
    const Entries entries = entries_of(comparison, d);
    ModelRanking ranking{.device = comparison.models[0].devices[d].device,
                         .accuracy_left_out = why_accuracies_do_not_rank(entries)};
    const bool ranked = ranking.accuracy_left_out.empty();
    if (ranked) {
      for (const CostAxis& axis : cost_axes()) {
        ranking.fronts.push_back(front_of(axis, entries, sign));
      }
    }
    if (comparison.max_latency_ms) {
      ranking.choice = choice_of(entries, *comparison.max_latency_ms, ranked, sign);
    }
    comparison.devices.push_back(std::move(ranking));
  }
}

}  // namespace hone
