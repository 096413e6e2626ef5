// What a person should take from a profile when reading one sentence of it.
#pragma once

#include <string>
#include <vector>

#include "hone/profile/profile.h"
#include "hone/report/report.h"

namespace hone {

// The steps that do one kind of work: an operator, told apart by kernel where it has several.
struct WorkShare {
  std::string name;  // "softmax", "conv (depthwise_f32)".
  std::vector<size_t> steps;
  double us = 0;
  double share = 0;  // Of the sum of all steps.
};

// The longest first.
std::vector<WorkShare> work_shares(const Profile& profile);

// "10.7 ms median (10.6 to 10.7 ms), measured on Neoverse-V1, 1 thread; 62 % of it in conv
// (gemm_f32)".
std::string latency_headline(const Profile& profile);

// "10.6 to 10.7 ms": the unit once where both ends have it.
std::string interval_text(double low_ms, double high_ms);

// The same as latency_headline with what would help most, where somebody looked for that.
std::string run_verdict(const ReportRun& run);

// "after is 1.82 times as fast as before: 10.2 ms -> 5.6 ms, measured": of a later run and what it
// is compared with; its own verdict where the two have little in common.
std::string change_verdict(const Report& report, size_t later);

// What another tool's profile of a GPU tells where no rule found anything: a sentence each.
std::vector<std::string> known_without_findings(const Profile& profile);

// "steady over 224 runs", or "unstable: " and the first reason; empty for a single run.
std::string stability(const Profile& profile);

}  // namespace hone
