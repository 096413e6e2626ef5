// Diagnoses, optimizations and differences of profiles in result files; make_report reads the first
// two back.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "hone/analyze/finding.h"
#include "hone/report/report.h"

namespace hone {

std::vector<ReportFinding> report_findings(const std::vector<Finding>& findings, HintWords words);

// What stands under "results" of a result file.
nlohmann::ordered_json diagnosis_to_json(const ReportRun& run);
// The JSON Schema of it.
nlohmann::ordered_json diagnosis_schema();
nlohmann::ordered_json optimization_to_json(const Report& report);
// The JSON Schema of it.
nlohmann::ordered_json optimization_schema();
// Of the report's first comparison.
nlohmann::ordered_json diff_to_json(const Report& report);
// The JSON Schema of it.
nlohmann::ordered_json diff_schema();

// What a comparison says, without what it is of.
nlohmann::ordered_json changes_to_json(const ProfileDiff& diff);

}  // namespace hone
