#include "hone/report/results/run_json.h"

#include "hone/profile/json_schema.h"
#include "hone/profile/profile_json.h"
#include "hone/report/report_fields.h"
#include "hone/report/results/result_json.h"
#include "hone/report/sections/change_text.h"

namespace hone {
namespace {

template <class T>
Json written(T value) {
  return JsonWriter::write(value);
}

template <class T>
Json list_schema() {
  return {{"type", "array"}, {"items", schema_of<T>()}};
}

// All of these keys are always there.
Json object_schema(Json properties) {
  Json required = Json::array();
  for (const auto& [key, value] : properties.items()) required.push_back(key);
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", required}};
}

}  // namespace

Json diagnosis_schema() {
  return object_schema({{"kind", {{"const", "diagnosis"}}},
                        {"profile", profile_schema()},
                        {"findings", list_schema<ReportFinding>()},
                        {"refuted", list_schema<ReportFinding>()}});
}

Json optimization_schema() {
  Json schema = object_schema({{"kind", {{"const", "optimization"}}},
                               {"before", profile_schema()},
                               {"after", profile_schema()},
                               {"compared", schema_of<ReportCompared>()},
                               {"error", {{"type", {"number", "null"}}}},
                               {"findings", list_schema<ReportFinding>()},
                               {"ledger", list_schema<ReportAttempt>()}});
  schema["properties"]["file"] = {{"type", "string"}};
  schema["properties"]["metric"] = schema_of<OutcomeMetric>();
  return schema;
}

Json diff_schema() {
  const Json text = {{"type", "string"}}, number = {{"type", {"number", "null"}}};
  const Json layer =
      object_schema({{"name", text}, {"us_a", number}, {"us_b", number}, {"change", text}});
  return object_schema({{"kind", {{"const", "diff"}}},
                        {"mode_a", text},
                        {"mode_b", text},
                        {"models", text},
                        {"ms_a", number},
                        {"ms_b", number},
                        {"change", text},
                        {"why", text},
                        {"layers", {{"type", "array"}, {"items", layer}}}});
}

std::vector<ReportFinding> report_findings(const std::vector<Finding>& findings, HintWords words) {
  std::vector<ReportFinding> list;
  for (const Finding& finding : findings) {
    list.push_back({.rule = finding.rule,
                    .title = finding.title,
                    .subject = finding.subject,
                    .bound = std::string(name_of(finding.bound)),
                    .option = finding.option,
                    .evidence = finding.evidence,
                    .steps = finding.steps,
                    .fix = finding.fix,
                    .command = words(finding.hint),
                    .gain = finding.gain,
                    .formula = finding.formula,
                    .confidence = finding.confidence});
  }
  return list;
}

Json diagnosis_to_json(const ReportRun& run) {
  return {{"kind", "diagnosis"},
          {"profile", profile_to_json(run.profile)},
          {"findings", written(run.findings)},
          {"refuted", written(run.refuted)}};
}

Json optimization_to_json(const Report& report) {
  Json json = {{"kind", "optimization"}};
  const ReportOutcome& outcome = *report.runs[1].outcome;
  if (!outcome.file.empty()) json["file"] = outcome.file;
  json["before"] = profile_to_json(report.runs[0].profile);
  json["after"] = profile_to_json(report.runs[1].profile);
  json["compared"] = written(report.runs[1].compared);
  json["error"] = outcome.error;
  if (!outcome.metric.empty()) {
    json["metric"] = {{"name", outcome.metric},
                      {"before", outcome.metric_before},
                      {"after", outcome.metric_after}};
  }
  json["findings"] = written(report.runs[0].findings);
  json["ledger"] = written(report.runs[1].ledger);
  return json;
}

Json changes_to_json(const ProfileDiff& diff) {
  Json layers = Json::array();
  for (const LayerChange& layer : diff.layers) {
    layers.push_back({{"name", layer.name},
                      {"us_a", layer.us_a},
                      {"us_b", layer.us_b},
                      {"change", change_word(layer)}});
  }
  return {{"ms_a", diff.ms_a},
          {"ms_b", diff.ms_b},
          {"change", name_of(diff.change)},
          {"why", diff.why},
          {"layers", std::move(layers)}};
}

Json diff_to_json(const Report& report) {
  Json json = {{"kind", "diff"},
               {"mode_a", mode_name(report.runs[0].profile.mode)},
               {"mode_b", mode_name(report.runs[1].profile.mode)},
               {"models", report.comparisons[0].models}};
  json.update(changes_to_json(report.comparisons[0]));
  return json;
}

}  // namespace hone
