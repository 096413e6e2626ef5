#include "hone/validate/validation_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinities: the SQNR of a layer without error is null.
Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json sums_to_json(const ErrorSums& sums, std::optional<double> step) {
  return {{"sqnr_db", finite(sums.sqnr_db())},
          {"cosine", finite(sums.cosine())},
          {"max_abs", finite(sums.max_abs)},
          {"max_lsb", step ? finite(sums.max_abs / *step) : Json()},
          {"equal", sums.noise == 0}};
}

Json layers_to_json(const LayerErrors& errors, const BreakLimits& limits,
                    const LayerBreak& broken) {
  Json layers = Json::array();
  for (const LayerError& layer : errors.layers) {
    layers.push_back({{"name", layer.name},
                      {"op", layer.op},
                      {"local", sums_to_json(layer.local, layer.step)},
                      {"propagated", sums_to_json(layer.propagated, layer.step)}});
  }
  return {{"samples", errors.samples},
          {"unmatched", errors.unmatched},
          {"least_db", limits.least_db},
          {"most_fall_db", limits.most_fall_db},
          {"first_broken", broken.first < 0 ? Json() : Json(broken.first)},
          {"sentence", broken.sentence},
          {"layers", std::move(layers)}};
}

Json arithmetic_to_json(const ArithmeticChange& change) {
  return {{"name", change.name},
          {"against", change.against},
          {"target", change.target},
          {"samples", change.samples},
          {"answers_changed", change.answers},
          {"outputs_changed", change.outputs},
          {"example", change.example ? Json(*change.example) : Json()},
          {"first_layer", change.layer},
          {"elements_different", change.different},
          {"elements", change.elements},
          {"metric", change.metric ? Json(*change.metric) : Json()}};
}

Json gate_to_json(const std::vector<GateRow>& gate) {
  Json rows = Json::array();
  for (const GateRow& row : gate) {
    rows.push_back({{"what", row.what},
                    {"asked", row.asked},
                    {"reached", row.reached},
                    {"from", row.from},
                    {"verdict", name_of(row.verdict)},
                    {"why", row.why}});
  }
  return rows;
}

}  // namespace

Json validation_to_json(const Validation& validation) {
  Json json = {{"kind", "validation"},
               {"model", validation.model},
               {"reference", validation.reference},
               {"target", validation.target},
               {"device", validation.device}};
  if (!validation.data_how.empty()) json["data_how"] = validation.data_how;
  json["metrics"] = Json::array();
  if (validation.metric) json["metrics"].push_back(*validation.metric);
  if (validation.agreement) json["metrics"].push_back(*validation.agreement);
  if (!validation.metric_why.empty()) json["metric_why"] = validation.metric_why;
  if (validation.reference_metric) json["reference_metric"] = *validation.reference_metric;
  json["more_is_better"] = validation.more_is_better;
  if (validation.expected) {
    json["expected"] = {{"samples", validation.expected->samples},
                        {"equal", validation.expected->equal},
                        {"max_error", validation.expected->max_error},
                        {"within", validation.expected->within}};
  }
  if (validation.layers) {
    json["layers"] = layers_to_json(*validation.layers, validation.breaks, validation.broken);
  }
  if (validation.arithmetic) json["arithmetic_change"] = arithmetic_to_json(*validation.arithmetic);
  if (validation.latency) json["latency"] = *validation.latency;
  if (!validation.samples_ms.empty()) json["samples_ms"] = validation.samples_ms;
  json["gate"] = gate_to_json(validation.gate);
  json["verdict"] = name_of(verdict_of(validation));
  return json;
}

}  // namespace hone
