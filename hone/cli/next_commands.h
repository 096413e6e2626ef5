// What to run after a result, for pages: commands that can be copied as they are.
#pragma once

#include "hone/report/report.h"

namespace hone {

// Gives every finding of the report a whole command, and every result those that follow from it.
// Names of the model, its data and the device are those of the command that made the result.
void add_next_commands(const std::vector<ReportInput>& inputs, Report& report);

// The same for a page of one document.
void add_next_commands(const nlohmann::ordered_json& results, Document& document);

}  // namespace hone
