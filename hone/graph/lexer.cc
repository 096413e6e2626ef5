#include "hone/graph/lexer.h"

#include <algorithm>

namespace hone {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_word_char(char c) {
  return is_letter(c) || is_digit(c) || c == '.';
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> run() {
    std::vector<Token> tokens;
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) {
      HONE_TRY(Token token, next());
      tokens.push_back(token);
    }
    tokens.push_back({Token::Kind::End, {}, line_});
    return tokens;
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '#') at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      if (text_[at_] == '\n') {
        ++line_;
      } else if (c != '#' && c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }

  Result<Token> next() {
    const char c = peek();
    if (c == '"') return quoted_token(0, Token::Kind::String);
    if (c == '%' && peek(1) == '"') return quoted_token(1, Token::Kind::Value);
    if (c == '%' && is_word_char(peek(1))) return take(Token::Kind::Value, word_end(1));
    if (is_letter(c)) return take(Token::Kind::Word, word_end(0));
    if (is_digit(c) || (c == '-' && is_word_char(peek(1)))) {
      return take(Token::Kind::Number, number_end());
    }
    for (const std::string_view sign : {"->", "..."}) {
      if (text_.substr(at_).starts_with(sign)) return take(Token::Kind::Sign, sign.size());
    }
    if (std::string_view("()[]{}<>,:=?").find(c) != std::string_view::npos) {
      return take(Token::Kind::Sign, 1);
    }
    return bad_input("line ", line_, ": character ", quote(text_.substr(at_, 1)),
                     " begins nothing in a graph's text");
  }

  Token take(Token::Kind kind, size_t length) {
    const Token token{kind, text_.substr(at_, length), line_};
    at_ += length;
    return token;
  }

  size_t word_end(size_t from) const {
    while (is_word_char(peek(from))) ++from;
    return from;
  }

  // Takes the sign of an exponent along: "1e-05".
  size_t number_end() const {
    size_t end = 1;
    while (is_word_char(peek(end)) ||
           ((peek(end) == '-' || peek(end) == '+') && peek(end - 1) == 'e')) {
      ++end;
    }
    return end;
  }

  // `prefix` characters, then a string.
  Result<Token> quoted_token(size_t prefix, Token::Kind kind) {
    size_t end = prefix + 1;
    for (;; ++end) {
      if (at_ + end >= text_.size() || peek(end) == '\n') {
        return bad_input("line ", line_, ": string is not closed");
      }
      if (peek(end) == '"') return take(kind, end + 1);
      if (peek(end) != '\\') continue;
      ++end;
      const bool hex =
          peek(end) == 'x' && hex_digit(peek(end + 1)) >= 0 && hex_digit(peek(end + 2)) >= 0;
      if (!hex && std::string_view("\"\\nt").find(peek(end)) == std::string_view::npos) {
        return bad_input("line ", line_, ": escape ", quote(text_.substr(at_ + end - 1, 2)),
                         " is not known");
      }
      if (hex) end += 2;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view text) {
  return Lexer(text).run();
}

Error expected(std::string_view what, const Token& found) {
  constexpr size_t kShown = 40;
  if (found.kind == Token::Kind::End) {
    return bad_input("line ", found.line, ": expected ", what, ", found the end of the text");
  }
  return bad_input("line ", found.line, ": expected ", what, ", found '",
                   found.text.substr(0, kShown), found.text.size() > kShown ? "..." : "", "'");
}

std::string quote(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string unquote(std::string_view in_quotes) {
  std::string out;
  for (size_t i = 1; i + 1 < in_quotes.size(); ++i) {
    if (in_quotes[i] != '\\') {
      out += in_quotes[i];
      continue;
    }
    const char escape = in_quotes[++i];
    if (escape == 'x') {
      out += static_cast<char>(hex_digit(in_quotes[i + 1]) * 16 + hex_digit(in_quotes[i + 2]));
      i += 2;
    } else {
      out += escape == 'n' ? '\n' : escape == 't' ? '\t' : escape;
    }
  }
  return out;
}

bool is_plain_word(std::string_view text) {
  return !text.empty() && is_letter(text[0]) && std::ranges::all_of(text, is_word_char);
}

bool is_plain_value_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_word_char);
}

}  // namespace hone
