// Profiles of Hone's own, measured on another machine or at another time.

#include <nlohmann/json.hpp>

#include "hone/profile/import/importer_def.h"
#include "hone/profile/profile_json.h"
#include "hone/profile/result_file.h"

namespace hone {
namespace {

bool recognizes_hone_profile(std::string_view text) {
  return text.substr(0, 100).find("\"schema_version\"") != std::string_view::npos;
}

Result<Profile> read_hone_profile(std::string_view text, const ImportOptions&) {
  HONE_TRY(const nlohmann::ordered_json document, parse_result(text));
  if (result_kind(document) != "profile") {
    return bad_input("holds no profile").needs({HintKind::ProfileFile});
  }
  return profile_from_json(document["results"]);
}

}  // namespace

extern const ImporterDef importer_hone_profile = {
    .name = "hone_profile",
    .summary = "a profile of Hone's own",
    .recognizes = recognizes_hone_profile,
    .read = read_hone_profile,
};

}  // namespace hone
