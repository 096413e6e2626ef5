// Result files, which commands write with --json: {schema_version, tool, command, model, results}.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "hone/base/result.h"

namespace hone {

// What is written: 1.1 tells steps and engines by their fields (StepKind, EngineCounters), 1.0 did
// by names of kernels and counters.
inline constexpr const char* kResultSchema = "1.1";

// The whole document of a file's text. BadInput when it is that of no result file, is of a newer
// schema, or is cut off.
Result<nlohmann::ordered_json> parse_result(std::string_view text);

// The same of a file. BadInput with the path in front.
Result<nlohmann::ordered_json> read_result_file(const std::filesystem::path& path);

// What kind of result a document of read_result_file holds: "profile", "diagnosis", ...; empty for
// commands whose results have none.
std::string result_kind(const nlohmann::ordered_json& document);

}  // namespace hone
