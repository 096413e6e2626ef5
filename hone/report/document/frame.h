#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone {

// A page with its marks replaced, which stand in it in this order; what replaces one may hold
// another.
std::string fill_frame(std::string_view frame,
                       const std::vector<std::pair<std::string_view, std::string>>& marks);

// JSON that may stand inside a script element: nothing in it ends the element, opens a comment, or
// is a line end to JavaScript but not to JSON (U+2028, U+2029). Its value is the same.
std::string json_for_script(std::string_view json);

}  // namespace hone
