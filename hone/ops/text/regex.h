// Regular expressions in RE2's syntax, as ONNX's RegexFullMatch has them, in time linear in the
// text. Nothing is captured, so greedy and lazy repetition are the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"

namespace hone {

class Regex {
 public:
  // BadInput when the pattern is wrong, Unsupported when it uses flags, Unicode classes or \Q...\E.
  static Result<Regex> compile(std::string_view pattern);

  // BadInput when the text is not UTF-8.
  Result<bool> matches_all_of(std::string_view text) const;
  // Whether a part of the text matches. It may hold bytes that are no UTF-8: each is a character.
  bool found_in(std::string_view text) const;

 private:
  friend class RegexCompiler;

  struct Range {
    char32_t first;
    char32_t last;
  };
  enum class Op { Set, Split, Jump, TextBegin, TextEnd, WordEdge, NoWordEdge, Match };
  struct Instruction {
    Op op;
    size_t a = 0;  // Set: index into sets_. Split, Jump: where to go.
    size_t b = 0;  // Split: the other way.
  };
  class Threads;
  enum class Where { Whole, Anywhere };

  bool runs_through(const std::u32string& text, Where where) const;
  bool has_matched(const Threads& threads) const;

  std::vector<Instruction> program_;
  std::vector<std::vector<Range>> sets_;
};

}  // namespace hone
