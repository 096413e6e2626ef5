#include <cmath>
#include <limits>

#include "hone/base/infinity.h"
#include "hone/profile/json_schema.h"
#include "hone/validate/metric_def.h"
#include "hone/validate/validation_json.h"

namespace hone {
namespace {

// What a file tells of sums.
struct SumsFigures {
  std::optional<double> sqnr_db = {};
  std::optional<double> cosine = {};
  std::optional<double> max_abs = {};
  std::optional<double> max_lsb = {};
  bool equal = false;
};

struct LayerFigures {
  std::string name = {};
  std::string op = {};
  SumsFigures local = {};
  SumsFigures propagated = {};
};

struct LayersFigures {
  int64_t samples = 0;
  size_t unmatched = 0;
  double least_db = 0;
  double most_fall_db = 0;
  std::optional<int> first_broken = {};
  std::string sentence = {};
  std::vector<LayerFigures> layers = {};
};

struct GateFigures {
  GateRow row = {};
  std::string verdict = {};
};

struct ValidationFigures {
  Validation validation = {};
  std::vector<Metric> metrics = {};
  std::optional<bool> more_is_better = {};
  std::optional<LayersFigures> layers = {};
  std::vector<GateFigures> gate = {};
};

}  // namespace

template <class Fields>
void visit_fields(Fields& f, SumsFigures& s) {
  f("sqnr_db", s.sqnr_db);
  f("cosine", s.cosine);
  f("max_abs", s.max_abs);
  f("max_lsb", s.max_lsb);
  f("equal", s.equal);
}

template <class Fields>
void visit_fields(Fields& f, LayerFigures& l) {
  f("name", l.name);
  f("op", l.op);
  f("local", l.local);
  f("propagated", l.propagated);
}

template <class Fields>
void visit_fields(Fields& f, LayersFigures& l) {
  f("samples", l.samples);
  f("unmatched", l.unmatched);
  f("least_db", l.least_db);
  f("most_fall_db", l.most_fall_db);
  f("first_broken", l.first_broken);
  f("sentence", l.sentence);
  f("layers", l.layers);
}

template <class Fields>
void visit_fields(Fields& f, GateFigures& g) {
  f("what", g.row.what);
  f("asked", g.row.asked);
  f("reached", g.row.reached);
  f("from", g.row.from);
  f("verdict", g.verdict);
  f("why", g.row.why);
}

template <class Fields>
void visit_fields(Fields& f, ExpectedOutputs& e) {
  f("samples", e.samples);
  f("equal", e.equal);
  f("max_error", e.max_error);
  f("within", e.within);
}

template <class Fields>
void visit_fields(Fields& f, ArithmeticChange& a) {
  f("name", a.name);
  f("against", a.against);
  f("target", a.target);
  f("samples", a.samples);
  f("answers_changed", a.answers);
  f("outputs_changed", a.outputs);
  f("example", a.example);
  f("first_layer", a.layer);
  f("elements_different", a.different);
  f("elements", a.elements);
  f("metric", a.metric);
}

template <class Fields>
void visit_fields(Fields& f, ValidationFigures& figures) {
  Validation& v = figures.validation;
  f("model", v.model);
  f("reference", v.reference);
  f("target", v.target);
  f("device", v.device);
  f("data_how", v.data_how);
  f("metrics", figures.metrics);
  f("metric_why", v.metric_why);
  f("reference_metric", v.reference_metric);
  f("more_is_better", figures.more_is_better);
  f("expected", v.expected);
  f("layers", figures.layers);
  f("arithmetic_change", v.arithmetic);
  f("latency", v.latency);
  f("samples_ms", v.samples_ms);
  f("gate", figures.gate);
}

namespace {

// Sums that give these figures.
ErrorSums sums_of(const SumsFigures& figures) {
  const double cosine = figures.cosine.value_or(std::numeric_limits<double>::quiet_NaN());
  ErrorSums sums{.signal = 1, .norm = 1, .max_abs = figures.max_abs.value_or(kInfinity<double>)};
  if (!figures.equal) {
    sums.noise = figures.sqnr_db ? std::pow(10, -*figures.sqnr_db / 10) : kInfinity<double>;
  }
  sums.dot = cosine;
  return sums;
}

// The step of integers; without an error any will do.
std::optional<double> step_of(const SumsFigures& figures) {
  if (!figures.max_lsb || !figures.max_abs) return std::nullopt;
  return *figures.max_lsb > 0 ? *figures.max_abs / *figures.max_lsb : 1;
}

void take_layers(const LayersFigures& figures, Validation& validation) {
  LayerErrors errors{.layers = {}, .samples = figures.samples, .unmatched = figures.unmatched};
  for (const LayerFigures& layer : figures.layers) {
    const std::optional<double> step = step_of(layer.propagated);
    errors.layers.push_back({.name = layer.name,
                             .op = layer.op,
                             .propagated = sums_of(layer.propagated),
                             .local = sums_of(layer.local),
                             .step = step ? step : step_of(layer.local)});
  }
  validation.layers = std::move(errors);
  validation.breaks = {.least_db = figures.least_db, .most_fall_db = figures.most_fall_db};
  validation.broken = {figures.first_broken.value_or(-1), figures.sentence};
}

Status take_gate(std::vector<GateFigures>& figures, Validation& validation) {
  for (GateFigures& each : figures) {
    bool found = false;
    for (const Verdict verdict : {Verdict::Pass, Verdict::Fail, Verdict::Inconclusive}) {
      if (each.verdict != name_of(verdict)) continue;
      each.row.verdict = verdict;
      found = true;
    }
    if (!found) {
      return bad_input("results.gate holds the verdict '", each.verdict,
                       "', expected pass, fail or inconclusive");
    }
    validation.gate.push_back(std::move(each.row));
  }
  return Done{};
}

// Older files do not say which way is up.
bool more_is_better(const ValidationFigures& figures) {
  if (figures.more_is_better) return *figures.more_is_better;
  if (figures.metrics.empty()) return true;
  const auto def = find_metric_def(figures.metrics[0].name);
  return !def.ok() || (*def)->more_is_better;
}

}  // namespace

Json validation_schema() {
  Json schema = result_schema_of<ValidationFigures>("validation");
  leave_open(schema, {"data_how", "metric_why", "samples_ms"});
  schema["properties"]["verdict"] = {{"enum", {"pass", "fail", "inconclusive"}}};
  schema["required"].push_back("verdict");
  return schema;
}

Result<Validation> validation_from_json(const Json& results) {
  HONE_TRY(ValidationFigures figures, read_fields<ValidationFigures>(results));
  Validation& validation = figures.validation;
  for (const Metric& metric : figures.metrics) {
    if (!metric.value)
      return bad_input("results.metrics holds '", metric.name, "' without a value");
  }
  if (!figures.metrics.empty()) validation.metric = figures.metrics[0];
  if (figures.metrics.size() > 1) validation.agreement = figures.metrics[1];
  if (validation.reference_metric && !validation.reference_metric->value) {
    validation.reference_metric.reset();
  }
  validation.more_is_better = more_is_better(figures);
  if (figures.layers) take_layers(*figures.layers, validation);
  HONE_RETURN_IF_ERROR(take_gate(figures.gate, validation));
  return std::move(validation);
}

}  // namespace hone
