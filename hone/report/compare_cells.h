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

inline constexpr int kAccuracyDigits = 4;  // Models differ by tenths of a percent.

// "12.3 (8.1 to 18) pred", with that many digits; a dash where it is not known, or null.
std::string figure_cell(const Metric* metric, int digits = 3);

// What a star says of a device; one sentence.
std::string compare_star(const DeviceComparison& comparison);

// What the words, the intervals and the money stand for; one sentence each.
std::vector<std::string> compare_legend(const DeviceComparison& comparison, HintWords words);

// The same of the figures alone, whatever they are of: what the words behind them, what energy and
// money stand for, and whether precisions differ.
std::vector<std::string> figures_legend(const DeviceComparison& figures, HintWords words);

// Of single devices: "npu: quantized here ...", and why some failed.
std::vector<std::string> compare_notes(const DeviceComparison& comparison);

}  // namespace hone
