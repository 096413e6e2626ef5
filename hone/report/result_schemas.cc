#include "hone/report/result_schemas.h"

#include <nlohmann/json.hpp>

#include "hone/base/json_text.h"
#include "hone/base/str.h"
#include "hone/profile/comparison.h"
#include "hone/profile/model_comparison.h"
#include "hone/profile/profile_json.h"
#include "hone/profile/result_file.h"
#include "hone/report/results/bench_run.h"
#include "hone/report/results/fit_json.h"
#include "hone/report/results/inspection.h"
#include "hone/report/results/placement_result.h"
#include "hone/report/results/quantization_result.h"
#include "hone/report/results/run_json.h"
#include "hone/validate/validation_json.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

Json text_schema() {
  return {{"type", "string"}};
}

Json schema_list_of(Json items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}

// How a model's inputs and outputs differ from those that it had.
void add_changed_io(Json& schema) {
  const Json converted = {{"type", "object"},
                          {"properties",
                           {{"name", text_schema()},
                            {"type", text_schema()},
                            {"scale", {{"type", "number"}}},
                            {"zero_point", {{"type", "integer"}}}}},
                          {"required", {"name", "type", "scale", "zero_point"}}};
  Json& properties = schema["properties"];
  properties["integer_inputs"] = properties["integer_outputs"] = schema_list_of(converted);
  properties["channels_last"] = schema_list_of(text_schema());
}

Json optimized_schema() {
  Json schema = optimization_schema();
  add_changed_io(schema);
  schema["properties"]["untried_int8"] = {
      {"type", "object"},
      {"properties", {{"predicted_ms", {{"type", {"number", "null"}}}}, {"mode", text_schema()}}}};
  return schema;
}

Json quantized_schema() {
  Json schema = quantization_schema();
  add_changed_io(schema);
  schema["properties"]["file_agreement"] = {{"type", "object"},
                                            {"properties",
                                             {{"samples", {{"type", "integer"}}},
                                              {"same_largest_output", {{"type", "integer"}}},
                                              {"changed_part", {{"type", "number"}}},
                                              {"largest_change", {{"type", "number"}}},
                                              {"unit", {{"enum", {"steps", "value"}}}},
                                              {"mode", text_schema()}}}};
  return schema;
}

// What was asked for of the target.
void add_asked(Json& schema) {
  Json& properties = schema["properties"];
  for (const char* key : {"precision", "arithmetic", "hybrid"}) properties[key] = text_schema();
  properties["threads"] = {{"type", "integer"}};
  properties["disabled_passes"] = schema_list_of(text_schema());
}

Json validated_schema() {
  Json schema = validation_schema();
  add_asked(schema);
  schema["properties"]["data"] = text_schema();
  return schema;
}

Json benched_schema() {
  Json schema = bench_schema();
  add_asked(schema);
  return schema;
}

// With the device file that was written.
Json fitted_schema() {
  Json schema = fit_schema();
  schema["properties"]["path"] = text_schema();
  return schema;
}

struct KindSchema {
  const char* kind;
  Json (*schema)();
};

constexpr KindSchema kKindSchemas[] = {
    {"profile", profile_schema},        {"diagnosis", diagnosis_schema},
    {"optimization", optimized_schema}, {"diff", diff_schema},
    {"validation", validated_schema},   {"quantization", quantized_schema},
    {"comparison", comparison_schema},  {"model_comparison", models_schema},
    {"placement", placement_schema},    {"inspection", inspection_schema},
    {"bench", benched_schema},          {"fit", fitted_schema}};

Json model_schema() {
  return {{"type", "object"},
          {"properties",
           {{"name", text_schema()},
            {"format", text_schema()},
            {"version", text_schema()},
            {"producer", text_schema()},
            {"sha256", {{"type", "string"}, {"pattern", "^[0-9a-f]{64}$"}}},
            {"bytes", {{"type", "integer"}}}}},
          {"required", {"name", "format"}}};
}

// A result file around its results.
Json file_schema(const std::string& kind, Json results) {
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", str("Result file of hone: ", kind)},
          {"type", "object"},
          {"properties",
           {{"schema_version", {{"const", kResultSchema}}},
            {"tool",
             {{"type", "object"},
              {"properties", {{"name", {{"const", "hone"}}}, {"version", text_schema()}}},
              {"required", {"name", "version"}}}},
            {"command", text_schema()},
            {"model", model_schema()},
            {"models", schema_list_of(model_schema())},
            {"results", std::move(results)}}},
          {"required", {"schema_version", "tool", "command", "results"}}};
}

}  // namespace

std::vector<ResultSchema> result_schemas() {
  const auto text_of_file = [](const std::string& kind, Json results) {
    return json_text(file_schema(kind, std::move(results)), 1) + "\n";
  };
  std::vector<ResultSchema> schemas = {
      {"result", text_of_file("any", {{"type", {"object", "array"}}})}};
  for (const auto& [kind, schema] : kKindSchemas) {
    schemas.push_back({kind, text_of_file(kind, schema())});
  }
  return schemas;
}

}  // namespace hone
