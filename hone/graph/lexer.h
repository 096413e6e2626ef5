// The words of the graph's text form (graph.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"

namespace hone {

struct Token {
  enum class Kind { Word, Number, String, Value, Sign, End };
  Kind kind = Kind::End;
  std::string_view text;  // As written: strings with their quotes, values with their '%'.
  int line = 1;

  bool is(Kind wanted, std::string_view wanted_text) const {
    return kind == wanted && text == wanted_text;
  }
  bool is_sign(std::string_view sign) const { return is(Kind::Sign, sign); }
  bool is_word(std::string_view word) const { return is(Kind::Word, word); }
};

// The tokens refer to `text`; the last is End. BadInput at a character that begins nothing, and at
// a string that is not closed or has an unknown escape.
Result<std::vector<Token>> tokenize(std::string_view text);

// "line 3: expected an operator, found '='".
Error expected(std::string_view what, const Token& found);

// A text in quotes, with what cannot be shown escaped; and the way back, from a String token.
std::string quote(std::string_view text);
std::string unquote(std::string_view in_quotes);

// True for [A-Za-z_][A-Za-z0-9_.]*, which needs no quotes.
bool is_plain_word(std::string_view text);
// True for [A-Za-z0-9_.]+, which needs no quotes after '%'.
bool is_plain_value_name(std::string_view text);

}  // namespace hone
