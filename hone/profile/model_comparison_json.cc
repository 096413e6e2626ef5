#include "hone/profile/json_schema.h"
#include "hone/profile/model_comparison.h"

namespace hone {

template <class Fields>
void visit_fields(Fields& f, FrontPlace& place) {
  f("model", place.name);
  f("on_front", place.on_front);
  f("dominated_by", place.dominated_by);
}

template <class Fields>
void visit_fields(Fields& f, ModelFront& front) {
  f("against", front.against);
  f("left_out", front.left_out);
  f("places", front.places);
}

template <class Fields>
void visit_fields(Fields& f, LatencyChoice& choice) {
  f("within", choice.within);
  f("probably", choice.probably);
  f("take", choice.take);
  f("take_probably", choice.take_probably);
}

template <class Fields>
void visit_fields(Fields& f, ModelRanking& ranking) {
  f("device", ranking.device);
  f("accuracy_left_out", ranking.accuracy_left_out);
  f("fronts", ranking.fronts);
  f("choice", ranking.choice);
}

namespace {

// But for the models.
struct RankingFields {
  std::optional<double> max_latency_ms = {};
  bool more_accuracy_is_better = true;
  std::vector<ModelRanking> devices = {};
};

}  // namespace

template <class Fields>
void visit_fields(Fields& f, RankingFields& fields) {
  f("max_latency_ms", fields.max_latency_ms);
  f("more_accuracy_is_better", fields.more_accuracy_is_better);
  f("devices", fields.devices);
}

namespace {

Status check_places(const ModelRanking& ranking, size_t models) {
  for (const ModelFront& front : ranking.fronts) {
    const size_t count = front.left_out.empty() ? models : 0;
    if (front.places.size() == count) continue;
    return bad_input("results.devices: '", ranking.device, "' has ", front.places.size(),
                     " places on its front of ", front.against, ", expected ", count);
  }
  return Done{};
}

}  // namespace

Json models_schema() {
  Json schema = result_schema_of<RankingFields>("model_comparison");
  schema["properties"]["models"] = {{"type", "array"}, {"items", comparison_schema()}};
  schema["required"].push_back("models");
  return schema;
}

Json models_to_json(const ModelComparison& comparison) {
  RankingFields fields{.max_latency_ms = comparison.max_latency_ms,
                       .more_accuracy_is_better = comparison.more_accuracy_is_better(),
                       .devices = comparison.devices};
  JsonWriter writer{.json = {{"kind", "model_comparison"}}};
  visit_fields(writer, fields);
  Json& models = writer.json["models"] = Json::array();
  for (const DeviceComparison& model : comparison.models) {
    models.push_back(comparison_to_json(model));
  }
  return std::move(writer.json);
}

Result<ModelComparison> models_from_json(const Json& results) {
  HONE_TRY(RankingFields fields, read_fields<RankingFields>(results));
  ModelComparison comparison{.max_latency_ms = fields.max_latency_ms,
                             .devices = std::move(fields.devices)};
  if (!results.contains("models") || !results["models"].is_array() || results["models"].empty()) {
    return bad_input("results.models: expected a list of one or more");
  }
  for (const ModelRanking& ranking : comparison.devices) {
    HONE_RETURN_IF_ERROR(check_places(ranking, results["models"].size()));
  }
  for (const Json& each : results["models"]) {
    HONE_TRY(DeviceComparison model, comparison_from_json(each).in("results.models"));
    if (model.devices.size() != comparison.devices.size()) {
      return bad_input("results.models: '", model.model, "' has ", model.devices.size(),
                       " devices, expected ", comparison.devices.size());
    }
    model.more_accuracy_is_better = fields.more_accuracy_is_better;
    comparison.models.push_back(std::move(model));
  }
  return comparison;
}

}  // namespace hone
