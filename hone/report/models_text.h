// What there is to say of several models on devices, in cells and sentences.
#pragma once

#include <string>
#include <vector>

#include "hone/base/hint.h"
#include "hone/profile/model_comparison.h"

namespace hone {

using TextRows = std::vector<std::vector<std::string>>;

// A row for each model on each device, below a row of headings; columns without a figure are left
// out, and that of devices where there is one.
TextRows model_rows(const ModelComparison& comparison);

// Who is on which front, and by whom the others are dominated: a row as above. Empty where nothing
// is ranked.
TextRows front_rows(const ModelComparison& comparison);

// Why a device has no front, or not all.
std::vector<std::string> missing_fronts(const ModelComparison& comparison, HintWords words);

// What words, fronts and intervals stand for; one sentence each.
std::vector<std::string> models_legend(const ModelComparison& comparison, HintWords words);

// Of single models and devices: what was quantized, and why some failed. What is said of every
// model on a device stands there once.
std::vector<std::string> models_notes(const ModelComparison& comparison);

}  // namespace hone
