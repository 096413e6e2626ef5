#include <fmt/format.h>

#include "hone/targets/c_code/plan.h"

namespace hone::c_code {
namespace {

// In lines of so many.
template <class T>
std::string joined(const std::vector<T>& values, const char* format, size_t in_line) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += i % in_line == 0 ? ",\n    " : ", ";
    text += fmt::format(fmt::runtime(format), values[i]);
  }
  return text;
}

}  // namespace

Array array_of(const std::vector<int8_t>& values) {
  const std::vector<int> wider(values.begin(), values.end());
  return {"int8_t", joined(wider, "{}", 20), values.size(), values.size()};
}

Array array_of(const std::vector<int32_t>& values) {
  return {"int32_t", joined(values, "{}", 8), values.size(), 4 * values.size()};
}

Array array_of(const std::vector<uint32_t>& values) {
  return {"uint32_t", joined(values, "0x{:08x}", 8), values.size(), 4 * values.size()};
}

}  // namespace hone::c_code
