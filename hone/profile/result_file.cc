#include "hone/profile/result_file.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "hone/base/file.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

// Results are less than ten deep. Writing JSON recurses, so a file that nests without end must not
// get that far.
constexpr int kMaxDepth = 64;

// Of brackets outside of strings. A parser that is watched for that looks through a whole list
// again with each of its elements.
int deepest_nesting(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') ++i;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest;
}

Result<Json> parse(std::string_view text) {
  if (deepest_nesting(text) > kMaxDepth) {
    return bad_input("nests deeper than ", kMaxDepth, " levels");
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    const auto* parse_error = dynamic_cast<const Json::parse_error*>(&error);
    if (parse_error == nullptr) return bad_input("not JSON: ", error.what());
    return bad_input("not JSON, or cut off: stopped at byte ", parse_error->byte, " of ",
                     text.size());
  }
}

Status check_schema(const Json& document) {
  if (!document.is_object() || !document.contains("schema_version") ||
      !document["schema_version"].is_string() || !document.contains("results")) {
    return bad_input("not a result file of hone: no schema_version and results");
  }
  const std::string version = document["schema_version"];
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  if (major > 1) {
    return bad_input("schema ", version, " is newer than the 1.x that this hone reads");
  }
  if (major < 1) return bad_input("schema version '", version, "', expected 1.x");
  return Done{};
}

}  // namespace

Result<Json> parse_result(std::string_view text) {
  HONE_TRY(Json document, parse(text));
  HONE_RETURN_IF_ERROR(check_schema(document));
  return document;
}

Result<Json> read_result_file(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".onnx" || extension == ".tflite") {
    return bad_input(path.string(), ": a model, expected the result of a command (.json)");
  }
  HONE_TRY(const SharedBytes file, read_file(path));
  const std::string_view text(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  return parse_result(text).in(path.string());
}

std::string result_kind(const Json& document) {
  const Json& results = document["results"];
  if (!results.is_object() || !results.contains("kind") || !results["kind"].is_string()) return "";
  return results["kind"];
}

}  // namespace hone
