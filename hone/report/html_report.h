#pragma once

#include <string>

#include "hone/report/report.h"

namespace hone {

// One HTML file with everything inside: it loads nothing, so it opens from a disk, a mail or the
// artifacts of a build.
std::string html_report(const Report& report);

}  // namespace hone
