#pragma once

#include <string>
#include <vector>

#include "hone/base/hint.h"
#include "hone/profile/comparison.h"

namespace hone {

// The comparison as cells: a row per figure, a column per device. The first row names the devices.
// A word behind each number says where it comes from (compare_legend); what is not known is a dash,
// and of no device left out.
std::vector<std::vector<std::string>> compare_cells(const DeviceComparison& comparison);

// What a star says of a device; one sentence.
std::string compare_star(const DeviceComparison& comparison);

// What the words, the intervals and the money stand for; one sentence each.
std::vector<std::string> compare_legend(const DeviceComparison& comparison, HintWords words);

// Of single devices: "npu: quantized here ...", and why some failed.
std::vector<std::string> compare_notes(const DeviceComparison& comparison);

}  // namespace hone
