// A profile for people at a terminal, for spreadsheets, and for trace viewers.
#pragma once

#include <string>

#include "hone/profile/profile.h"
#include "hone/report/section_def.h"

namespace hone {

std::string profile_text(const Profile& profile, const ShowOptions& show = {});

// One line per step, all columns, a header line with names and units.
std::string profile_csv(const Profile& profile);

// Chrome trace events, which Perfetto opens: a track per thread, a counter track for the arena, and
// the argument names of ONNX Runtime's profiler.
std::string chrome_trace(const Profile& profile);

}  // namespace hone
