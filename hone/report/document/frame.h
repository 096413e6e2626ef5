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

}  // namespace hone
