#pragma once

#include <string>

#include "hone/report/report.h"

namespace hone {

// The report as tables for pull requests and build summaries, in GitHub's Markdown.
std::string markdown_report(const Report& report);

// For a terminal.
std::string text_report(const Report& report);

}  // namespace hone
