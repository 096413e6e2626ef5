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

size_t count_of(const Array& array) {
  return std::visit([](const auto& values) { return values.size(); }, array);
}

size_t bytes_of(const Array& array) {
  return std::visit([](const auto& values) { return values.size() * sizeof(values[0]); }, array);
}

std::string_view type_of(const Array& array) {
  constexpr std::string_view kTypes[] = {"int8_t", "int32_t", "uint32_t", "uint16_t"};
  return kTypes[array.index()];
}

std::string text_of(const Array& array) {
  if (const auto* bytes = std::get_if<std::vector<int8_t>>(&array)) {
    return joined(std::vector<int>(bytes->begin(), bytes->end()), "{}", 20);
  }
  if (const auto* words = std::get_if<std::vector<uint32_t>>(&array)) {
    return joined(*words, "0x{:08x}", 8);
  }
  if (const auto* halves = std::get_if<std::vector<uint16_t>>(&array)) {
    return joined(*halves, "{}", 12);
  }
  return joined(std::get<std::vector<int32_t>>(array), "{}", 8);
}

}  // namespace hone::c_code
