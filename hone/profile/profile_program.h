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

// The same of a program whose time comes from a model of its machine, which runs or does not run
// here. It is the same for all inputs, so nothing is repeated.
Profile profile_modelled(const Program& program, const ModelledRun& run);

// What a program's step is, without its times.
StepProfile describe_step(const StepInfo& info);
// What the steps with products compute in: "int8", "int8 + fp32"; `floats` where none of them is
// on integers, or there are no such steps.
std::string precision_label(const std::vector<StepProfile>& steps, std::string_view floats);
void add_memory(const Program& program, Profile& profile);

}  // namespace hone
