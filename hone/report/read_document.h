// Documents of result files that are no profiles.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hone/base/result.h"
#include "hone/report/section_def.h"

namespace hone {

// Of "validation", "quantization", ...
bool has_document(const std::string& kind);

// As result_kind, and "placement" of files that `hone compile` wrote before it said so.
std::string kind_of_result(const nlohmann::ordered_json& document);

// What a result file says about itself.
Provenance provenance_of(const nlohmann::ordered_json& document);

// `document` is a result file of one of these kinds. BadInput names the key that is not as
// expected.
Result<Document> read_document(const nlohmann::ordered_json& document, const ShowOptions& show);

}  // namespace hone
