#pragma once

#include <string>
#include <vector>

namespace hone {

// A file's name for each of the names, without an extension: what is not a letter, a digit, '_',
// '-' or '.' becomes '_', what is too long loses its end, and no two are the same, not even where
// large and small letters are one. A name that would be empty, hidden or taken gets its number in
// the list: "output_2" where `what` is "output", "a_b_2".
std::vector<std::string> file_names(const std::vector<std::string>& names, const std::string& what);

}  // namespace hone
