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

// Of its time, what it waits for main memory, where that is so much that it is worth a word.
double waited_us(const Evidence& in, size_t s);
double waited_us(const Evidence& in, const std::vector<size_t>& steps);
// Whether most of what it brings from main memory is tensors that have no room in VTCM.
bool waits_for_tensors(const Evidence& in, size_t s);
// How a finding about such steps tells it, and what it would save.
void set_waited(const Evidence& in, const std::vector<size_t>& steps, std::string_view bytes,
                Finding& finding);

// What was counted, as evidence.
Metric emulated_evidence(std::string name, double count);

}  // namespace hone
