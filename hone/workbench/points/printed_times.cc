#include "hone/workbench/points/printed_times.h"

#include <algorithm>
#include <charconv>

#include "hone/profile/import/rows.h"

namespace hone {

#define HONE_PRINTED_TIMES(name) extern const PrintedTimesDef printed_times_##name;
#include "hone/workbench/points/printed_times.inc"
#undef HONE_PRINTED_TIMES

const std::vector<const PrintedTimesDef*>& all_printed_times() {
  static const std::vector<const PrintedTimesDef*> kTools = {
#define HONE_PRINTED_TIMES(name) &printed_times_##name,
#include "hone/workbench/points/printed_times.inc"
#undef HONE_PRINTED_TIMES
  };
  return kTools;
}

std::optional<std::string_view> text_after(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(at + key.size());
}

std::optional<int64_t> leading_count(std::string_view text) {
  constexpr int64_t kMost = 1'000'000;
  text = trimmed(text);
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || count < 1 || count > kMost) return std::nullopt;
  return count;
}

Result<double> printed_ms(std::string_view line, size_t number, std::string_view key,
                          double parts_of_ms) {
  const std::string_view name = key.substr(0, key.find_last_not_of(" :=") + 1);
  const auto rest = text_after(line, key);
  if (!rest) {
    return bad_input("line ", number, ": no '", trimmed(name), "'; the file may be cut off");
  }
  const std::string_view from_word = trimmed(*rest);
  const std::string_view word = from_word.substr(0, from_word.find_first_of(" ,\t"));
  HONE_TRY(const double value,
           parse_number(word, trimmed(name), kMostMs * parts_of_ms).in(str("line ", number)));
  if (value > 0) return value / parts_of_ms;
  return bad_input("line ", number, ": ", trimmed(name), " is 0, expected more");
}

}  // namespace hone
