#pragma once

#include <sstream>
#include <string>

namespace hone {

// The parts written one after the other, as operator<< writes them.
template <class... Parts>
std::string str(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return std::move(out).str();
}

// "a, b, c".
template <class Range>
std::string join(const Range& items, const char* separator = ", ") {
  std::ostringstream out;
  const char* before = "";
  for (const auto& item : items) {
    out << before << item;
    before = separator;
  }
  return std::move(out).str();
}

}  // namespace hone
