#include "hone/base/file_names.h"

#include <cctype>
#include <set>

#include "hone/base/str.h"

namespace hone {
namespace {

// Leaves room for a number and an extension in the 255 bytes of most file systems, and for a folder
// in the 260 of others.
constexpr size_t kLongest = 150;

std::string safe(const std::string& name) {
  std::string result = name.substr(0, kLongest);
  for (char& c : result) {
    const bool keep =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
    if (!keep) c = '_';
  }
  return result;
}

std::string lower_file_names(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::vector<std::string> file_names(const std::vector<std::string>& names,
                                    const std::string& what) {
  std::set<std::string> taken;
  std::vector<std::string> result;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name = safe(names[i]);
    if (name.empty() || name.starts_with('.')) name = str(what, "_", i, name);
    const std::string first = name;
    for (size_t n = i; !taken.insert(lower_file_names(name)).second; ++n) name = str(first, "_", n);
    result.push_back(std::move(name));
  }
  return result;
}

}  // namespace hone
