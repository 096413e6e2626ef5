#include "hone/ops/text/regex.h"

#include <re2/re2.h>

#include <optional>
#include <string>
#include <utility>

#include "hone/base/printable.h"

namespace hone {
namespace {

// Of a pattern's program and of the states that a search visits. RE2's own default is 8 MiB, with which
// the largest programs take many seconds.
constexpr int64_t kMostBytes = int64_t{256} << 10;

RE2::Options options() {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(kMostBytes);
  return options;
}

// RE2's sentence, which ends in the part of the pattern that is wrong, without the pattern itself.
std::string trouble_of(const RE2& expression) {
  const std::string& text = expression.error();
  const bool repeated = expression.error_arg() == expression.pattern();
  return repeated ? text.substr(0, text.rfind(": " + expression.pattern())) : text;
}

// Bytes that are no UTF-8, which RE2 finds nothing in, become replacement characters.
std::string as_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::optional<Utf8Character> character = first_character(text);
    const size_t taken = character ? character->bytes : 1;
    result += character ? text.substr(0, taken) : "\xEF\xBF\xBD";
    text.remove_prefix(taken);
  }
  return result;
}

}  // namespace

Regex::Regex(std::shared_ptr<const RE2> expression) : expression_(std::move(expression)) {}

Result<Regex> Regex::compile(std::string_view pattern) {
  auto expression = std::make_shared<const RE2>(pattern, options());
  if (expression->ok()) return Regex(std::move(expression));
  const std::string trouble =
      str("pattern '", printable(pattern, 80), "': ", trouble_of(*expression));
  const bool is_large = expression->error_code() == RE2::ErrorPatternTooLarge;
  return is_large ? unsupported(trouble) : bad_input(trouble);
}

Result<bool> Regex::matches_all_of(std::string_view text) const {
  if (as_utf8(text) != text) return bad_input("the text is not UTF-8");
  return RE2::FullMatch(text, *expression_);
}

bool Regex::found_in(std::string_view text) const {
  return RE2::PartialMatch(as_utf8(text), *expression_);
}

}  // namespace hone
