// Layers that a DSP computes by scalar code, though it has vectors, or by more products than they have: which, why, and
// at what price.
#pragma once

#include <string>
#include <vector>

#include "hone/targets/c_code/plan.h"

namespace hone::c_code {

// A sentence for each reason: "3 layers by scalar code, 12 % of all packets: .. ('a', 'b', 'c')". `packets` are those of
// every step, counted or estimated. None where the core has no vectors at all.
std::vector<std::string> scalar_notes(const Plan& plan, const std::vector<double>& packets);

// A sentence on layers whose groups are computed as one, and what their weights take; none without such layers.
std::vector<std::string> group_notes(const Plan& plan);

// Packets of every step, by what layers of its kind are known to take.
std::vector<double> estimated_packets(const Plan& plan);

}  // namespace hone::c_code
