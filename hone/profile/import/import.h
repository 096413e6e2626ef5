// The evidence of other tools in Hone's own structure, so that diff, report and tables work on it.
#pragma once

#include <filesystem>

#include "hone/base/result.h"
#include "hone/profile/profile.h"

namespace hone {

// What a file may leave out.
struct ImportOptions {
  double clock_mhz = 0;  // Of an accelerator whose cycles the file counts; 0: not told.
};

// Reads a file by the first importer that recognizes its content. What the file does not say stays
// empty; the model is called by the file's name where nothing in it names one. BadInput names the
// file, the line and the expectation, or the formats there are when none fits.
Result<Profile> import_profile(const std::filesystem::path& path,
                               const ImportOptions& options = {});

}  // namespace hone
