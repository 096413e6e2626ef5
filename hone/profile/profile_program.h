// Measures a compiled program.
#pragma once

#include "hone/profile/measure.h"
#include "hone/profile/profile.h"

namespace hone {

enum class CounterSource { None, Hardware, Simulated };

struct ProfileOptions {
  StopRule stop;
  int warm_ups = 3;
  CounterSource counters = CounterSource::Hardware;
};

// Everything that can be told from the program and its runs. The caller knows the rest: model,
// target, and how long reading and compiling took.
Result<Profile> profile_program(const Program& program, const std::vector<Item>& inputs,
                                const ProfileOptions& options);

}  // namespace hone
