// Regular expressions in RE2's syntax, as ONNX's RegexFullMatch has them, in time linear in the
// text.
#pragma once

#include <memory>
#include <string_view>

#include "hone/base/result.h"

namespace re2 {
class RE2;
}

namespace hone {

class Regex {
 public:
  // BadInput names a pattern that is none and says why; Unsupported one that takes too much memory.
  static Result<Regex> compile(std::string_view pattern);

  // BadInput when the text is not UTF-8.
  Result<bool> matches_all_of(std::string_view text) const;
  // Whether a part of the text matches. It may hold bytes that are no UTF-8: each is a character.
  bool found_in(std::string_view text) const;

 private:
  explicit Regex(std::shared_ptr<const re2::RE2> expression);

  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace hone
