#pragma once

#include <string>
#include <string_view>

#include "hone/report/report.h"

namespace hone {

// One HTML file with everything inside: it loads nothing, so it opens from a disk, a mail or the
// artifacts of a build.
std::string html_report(const Report& report);

// JSON that may stand inside a script element: nothing in it ends the element, opens a comment, or
// is a line end to JavaScript but not to JSON (U+2028, U+2029). Its value is the same.
std::string json_for_script(std::string_view json);

}  // namespace hone
