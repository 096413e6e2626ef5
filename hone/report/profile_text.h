// A profile for people at a terminal, for spreadsheets, and for trace viewers.
#pragma once

#include <string>

#include "hone/profile/profile.h"

namespace hone {

struct ProfileTextOptions {
  size_t rows = 20;       // Of the longest layers or steps; 0: all.
  bool steps = false;     // Every step by itself, not rolled up to the user's layers.
  bool in_order = false;  // In running order, not by time.
};

std::string profile_text(const Profile& profile, const ProfileTextOptions& options = {});

// One line per step, all columns, a header line with names and units.
std::string profile_csv(const Profile& profile);

// Chrome trace events, which Perfetto opens: a track per thread, a counter track for the arena, and
// the argument names of ONNX Runtime's profiler.
std::string chrome_trace(const Profile& profile);

}  // namespace hone
