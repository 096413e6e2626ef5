// What rules about DSPs share: what was counted of packets.
#pragma once

#include <string_view>
#include <vector>

#include "hone/analyze/rule_def.h"

namespace hone {

// Whether its packets were counted.
bool is_dsp_run(const Profile& profile);

// Of a step; 0 where that was not counted.
double dsp_count(const Evidence& in, size_t s, std::string_view counter);
double dsp_count(const Evidence& in, const std::vector<size_t>& steps, std::string_view counter);
inline double packets_of(const Evidence& in, size_t s) {
  return dsp_count(in, s, "packets");
}

// A layer whose code has next to no instructions for vectors.
bool is_scalar_code(const Evidence& in, size_t s);

// What was counted, as evidence.
Metric emulated_evidence(std::string name, double count);

}  // namespace hone
