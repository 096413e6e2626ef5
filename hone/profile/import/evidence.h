// What the importers share: from steps and times to a whole Profile.
#pragma once

#include <string>
#include <vector>

#include "hone/profile/profile.h"

namespace hone {

// A profile that claims nothing yet: no threads, no precision.
Profile imported_profile(std::string tool, std::string target);

// Adds a step and a group of the layers that it ran: one layer of the step's own name where the
// file tells no others.
void add_step(StepProfile step, Profile& profile, const std::vector<std::string>& layers = {});

// Adds a layer that took no time, and why.
void add_idle_layer(std::string name, std::string op, std::string why, Profile& profile);

// The one figure that a file tells of whole runs.
void add_latency(std::string name, double ms, int64_t n, std::string note, Profile& profile);

// Times of the steps, and the latency, from runs: step_us[s][r] of step s in run r, and whole_ms[r]
// of all of it. Steps get what Hone's own have: the mean over the half of the runs that lies around
// the median, percentiles, and medians of blocks. There is at least one run.
void add_runs(std::vector<double> whole_ms, const std::vector<std::vector<double>>& step_us,
              Profile& profile);

// The run that took about as long as the median. There is at least one.
size_t middle_run(const std::vector<double>& whole_ms);

// Shares, times of groups, and a timeline that puts the steps one after the other where there is
// none. To be called last.
void finish(Profile& profile);

}  // namespace hone
