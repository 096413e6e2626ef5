#include "hone/validate/baseline.h"

#include <nlohmann/json.hpp>

#include "hone/base/json_text.h"
#include "hone/profile/profile_json.h"
#include "hone/profile/result_file.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

std::string text_at(const Json& results, const char* key) {
  const auto found = results.find(key);
  return found != results.end() && found->is_string() ? found->get<std::string>() : "";
}

// Null where the file was made without a reference or labels.
std::optional<Metric> metric_of(const Json& results) {
  const auto list = results.find("metrics");
  if (list == results.end() || !list->is_array() || list->empty()) return std::nullopt;
  const Json& first = (*list)[0];
  const bool whole = first.is_object() && first.contains("value") && first["value"].is_number() &&
                     first.contains("n") && first["n"].is_number_integer();
  if (!whole) return std::nullopt;
  return Metric{.name = text_at(first, "name"),
                .value = first["value"].get<double>(),
                .unit = text_at(first, "unit"),
                .n = first["n"].get<int64_t>()};
}

Status read_samples(const Json& results, std::vector<double>& samples) {
  const auto list = results.find("samples_ms");
  if (list == results.end()) return Done{};
  if (!list->is_array()) return bad_input("results.samples_ms is no list");
  for (const Json& sample : *list) {
    if (!sample.is_number() || !(sample.get<double>() > 0)) {
      return bad_input("results.samples_ms holds ", json_text(sample), ", expected a time");
    }
    samples.push_back(sample.get<double>());
  }
  return Done{};
}

// A profile of a machine that is not here has one time, which its model gives.
std::optional<double> modelled_ms(const Json& results) {
  if (text_at(results, "mode") == mode_name(Mode::Measured)) return std::nullopt;
  const auto list = results.find("latency");
  if (list == results.end() || !list->is_array() || list->empty()) return std::nullopt;
  const Json& first = (*list)[0];
  const bool timed = first.is_object() && text_at(first, "unit") == "ms" &&
                     first.contains("value") && first["value"].is_number() &&
                     first["value"].get<double>() > 0;
  return timed ? std::optional(first["value"].get<double>()) : std::nullopt;
}

}  // namespace

Result<Baseline> read_baseline(const std::filesystem::path& path) {
  HONE_TRY(const Json document, read_result_file(path));
  const std::string kind = result_kind(document);
  if (kind != "profile" && kind != "validation") {
    return bad_input(path.string(), ": holds neither a profile nor a validation");
  }
  const Json& results = document["results"];
  Baseline baseline{.path = path.string(),
                    .target = text_at(results, "target"),
                    .device = text_at(results, "device"),
                    .samples_ms = {},
                    .metric = {}};
  HONE_RETURN_IF_ERROR(read_samples(results, baseline.samples_ms).in(path.string()));
  if (const auto ms = modelled_ms(results); ms && baseline.samples_ms.empty()) {
    baseline.samples_ms = {*ms};
  }
  if (kind == "validation") baseline.metric = metric_of(results);
  if (baseline.samples_ms.empty() && !baseline.metric) {
    return bad_input(path.string(), ": holds neither times of runs nor a metric to compare with");
  }
  return baseline;
}

}  // namespace hone
