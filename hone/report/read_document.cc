#include "hone/report/read_document.h"

#include <nlohmann/json.hpp>

#include "hone/base/check.h"
#include "hone/base/json_text.h"
#include "hone/base/str.h"
#include "hone/profile/result_file.h"
#include "hone/report/documents.h"
#include "hone/report/results/bench_run.h"
#include "hone/report/results/fit_json.h"
#include "hone/report/results/inspection.h"
#include "hone/report/results/listening_json.h"
#include "hone/validate/validation_json.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

// Text under a key, or "" where there is none.
std::string text_at(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return "";
  return object[key];
}

template <auto from_json>
Result<Document> read_as(const Json& document, const ShowOptions& show) {
  HONE_TRY(auto result, from_json(document["results"]));
  if constexpr (requires { result.model; }) {
    if (result.model.empty() && document.contains("model")) {
      result.model = text_at(document["model"], "name");
    }
  }
  return document_of(result, provenance_of(document), show);
}

struct Kind {
  std::string_view name;
  Result<Document> (*read)(const Json& document, const ShowOptions& show);
};

constexpr Kind kKinds[] = {
    {"validation", read_as<validation_from_json>},
    {"quantization", read_as<quantization_from_json>},
    {"comparison", read_as<comparison_from_json>},
    {"model_comparison", read_as<models_from_json>},
    {"placement", read_as<placement_from_json>},
    {"listening_power", read_as<listening_from_json>},
    {"inspection", read_as<inspection_from_json>},
    {"bench", read_as<bench_from_json>},
    {"fit", read_as<fit_from_json>},
};

}  // namespace

bool has_document(const std::string& name) {
  for (const Kind& kind : kKinds) {
    if (kind.name == name) return true;
  }
  return false;
}

std::string kind_of_result(const Json& document) {
  const std::string kind = result_kind(document);
  const Json& results = document["results"];
  const bool placed = results.is_object() && results.contains("nodes_on_device");
  return kind.empty() && placed ? "placement" : kind;
}

Provenance provenance_of(const Json& document) {
  Provenance from{.command = text_at(document, "command")};
  if (document.contains("tool")) {
    const Json& tool = document["tool"];
    from.tool = str(text_at(tool, "name"), " ", text_at(tool, "version"));
  }
  if (!document.contains("model") || !document["model"].is_object()) return from;
  for (const auto& [key, value] : document["model"].items()) {
    std::string text = value.is_string() ? value.get<std::string>() : json_text(value);
    if (!text.empty()) from.model.emplace_back(key, std::move(text));
  }
  return from;
}

Result<Document> read_document(const Json& document, const ShowOptions& show) {
  const std::string name = kind_of_result(document);
  for (const Kind& kind : kKinds) {
    if (kind.name == name) return kind.read(document, show);
  }
  HONE_CHECK(false, "no document is made of a ", name);
}

}  // namespace hone
