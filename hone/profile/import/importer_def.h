#pragma once

#include <string_view>
#include <vector>

#include "hone/profile/import/import.h"

namespace hone {

struct ImporterDef {
  std::string_view name;     // "trtexec_times".
  std::string_view summary;  // The file and how to get it, for the list of formats.
  // Looks for a few words, which a file that was cut off has too.
  bool (*recognizes)(std::string_view text);
  // Messages of errors begin with "line N: " where one line is at fault.
  Result<Profile> (*read)(std::string_view text, const ImportOptions& options);
};

// In the order of importers.inc.
const std::vector<const ImporterDef*>& all_importers();

}  // namespace hone
