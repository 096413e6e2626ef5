#include "hone/ops/text/regex.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "hone/base/printable.h"

namespace hone {
namespace {

constexpr int kDeepest = 100;
constexpr int kMostRepeats = 1000;          // RE2's own limit.
constexpr size_t kLargestProgram = 20'000;  // Instructions; nested repeats multiply.
constexpr char32_t kLastCodePoint = 0x10ffff;

Result<std::u32string> decode(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    const std::optional<Utf8Character> character = first_character(text);
    if (!character) return bad_input("the text is not UTF-8");
    points += character->code;
    text.remove_prefix(character->bytes);
  }
  return points;
}

// Bytes that are no UTF-8 become characters of their own.
std::u32string decode_any(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    const std::optional<Utf8Character> character = first_character(text);
    points += character ? character->code : U'\xFFFD';
    text.remove_prefix(character ? character->bytes : 1);
  }
  return points;
}

bool is_word(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || (c >= U'0' && c <= U'9') ||
         c == U'_';
}

}  // namespace

// Recursive descent that emits code as it goes; a repeated part is copied from what was emitted.
class RegexCompiler {
 public:
  explicit RegexCompiler(std::u32string pattern) : pattern_(std::move(pattern)) {}

  Result<Regex> run() {
    HONE_RETURN_IF_ERROR(alternatives(0));
    if (!at_end()) return bad_input("pattern: ')' without '('");
    emit(Regex::Op::Match);
    return std::move(regex_);
  }

 private:
  using Op = Regex::Op;
  using Set = std::vector<Regex::Range>;
  using Code = std::vector<Regex::Instruction>;

  bool at_end() const { return at_ == pattern_.size(); }
  char32_t peek(size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : U'\0';
  }
  bool accept(char32_t c) {
    if (at_end() || peek() != c) return false;
    ++at_;
    return true;
  }
  bool accept(std::u32string_view text) {
    if (pattern_.compare(at_, text.size(), text) != 0) return false;
    at_ += text.size();
    return true;
  }
  Code& code() { return regex_.program_; }
  void emit(Op op, size_t a = 0, size_t b = 0) { code().push_back({op, a, b}); }

  Status alternatives(int depth);
  Status sequence(int depth);
  Status atom(int depth);
  Status group(int depth);
  Status repetition(size_t first);
  Status repeat(size_t first, int least, int most);
  std::optional<std::pair<int, int>> counts();
  int class_escape(Set& set);
  Result<char32_t> literal_escape();
  Status bracket();
  Status posix_class(Set& set);
  void emit_set(Set set, bool negated);
  void append_shifted(const Code& part, size_t from);

  std::u32string pattern_;
  size_t at_ = 0;
  Regex regex_;
};

// Appends a part that was compiled at address `from`, its jumps moved along.
void RegexCompiler::append_shifted(const Code& part, size_t from) {
  const size_t to = code().size();
  for (Regex::Instruction instruction : part) {
    if (instruction.op == Op::Split || instruction.op == Op::Jump) {
      instruction.a = instruction.a - from + to;
      instruction.b = instruction.b - from + to;
    }
    code().push_back(instruction);
  }
}

Status RegexCompiler::alternatives(int depth) {
  if (depth > kDeepest) return unsupported("pattern: groups nested more than ", kDeepest, " deep");
  std::vector<size_t> exits;
  while (true) {
    const size_t first = code().size();
    HONE_RETURN_IF_ERROR(sequence(depth));
    if (!accept(U'|')) break;
    const Code part(code().begin() + static_cast<std::ptrdiff_t>(first), code().end());
    code().resize(first);
    emit(Op::Split, first + 1, first + part.size() + 2);
    append_shifted(part, first);
    exits.push_back(code().size());
    emit(Op::Jump);
  }
  for (const size_t jump : exits) code()[jump].a = code().size();
  return Done{};
}

Status RegexCompiler::sequence(int depth) {
  while (!at_end() && peek() != U'|' && peek() != U')') {
    const size_t first = code().size();
    HONE_RETURN_IF_ERROR(atom(depth));
    HONE_RETURN_IF_ERROR(repetition(first));
    if (code().size() > kLargestProgram) return unsupported("pattern is too large");
  }
  return Done{};
}

Status RegexCompiler::atom(int depth) {
  if (accept(U'(')) return group(depth);
  if (accept(U'[')) return bracket();
  if (accept(U'^') || accept(U"\\A")) return emit(Op::TextBegin), Done{};
  if (accept(U'$') || accept(U"\\z")) return emit(Op::TextEnd), Done{};
  if (accept(U"\\b")) return emit(Op::WordEdge), Done{};
  if (accept(U"\\B")) return emit(Op::NoWordEdge), Done{};
  if (accept(U'.')) return emit_set({{U'\n', U'\n'}}, true), Done{};
  if (peek() == U'*' || peek() == U'+' || peek() == U'?') {
    return bad_input("pattern: nothing to repeat at character ", at_);
  }
  if (peek() != U'\\') {
    const char32_t c = pattern_[at_++];
    return emit_set({{c, c}}, false), Done{};
  }
  Set set;
  const int negated = class_escape(set);
  if (negated >= 0) return emit_set(std::move(set), negated == 1), Done{};
  HONE_TRY(const char32_t c, literal_escape());
  return emit_set({{c, c}}, false), Done{};
}

Status RegexCompiler::group(int depth) {
  if (accept(U"?P<") || accept(U"?<")) {
    while (is_word(peek())) ++at_;
    if (!accept(U'>')) return bad_input("pattern: bad group name at character ", at_);
  } else if (!accept(U"?:") && peek() == U'?') {
    return unsupported("pattern: flags or look-around in (?...)");
  }
  HONE_RETURN_IF_ERROR(alternatives(depth + 1));
  if (!accept(U')')) return bad_input("pattern: '(' without ')'");
  return Done{};
}

// {2}, {2,} or {2,5}; anything else after '{' stands for itself. -1: no upper limit.
std::optional<std::pair<int, int>> RegexCompiler::counts() {
  size_t end = at_ + 1;
  const auto number = [&]() -> std::optional<int> {
    const size_t first = end;
    int value = 0;
    for (; end < pattern_.size() && pattern_[end] >= U'0' && pattern_[end] <= U'9'; ++end) {
      value = std::min(value * 10 + static_cast<int>(pattern_[end] - U'0'), kMostRepeats + 1);
    }
    if (end == first) return std::nullopt;
    return value;
  };
  const std::optional<int> least = number();
  if (!least) return std::nullopt;
  int most = *least;
  if (end < pattern_.size() && pattern_[end] == U',') {
    ++end;
    most = number().value_or(-1);
  }
  if (end == pattern_.size() || pattern_[end] != U'}') return std::nullopt;
  at_ = end + 1;
  return std::pair{*least, most};
}

Status RegexCompiler::repetition(size_t first) {
  std::optional<std::pair<int, int>> wanted;
  if (accept(U'*')) {
    wanted = {0, -1};
  } else if (accept(U'+')) {
    wanted = {1, -1};
  } else if (accept(U'?')) {
    wanted = {0, 1};
  } else if (peek() == U'{') {
    wanted = counts();
  }
  if (!wanted) return Done{};
  accept(U'?');  // Lazy: no difference here.
  const size_t before = at_;
  if (peek() == U'*' || peek() == U'+' || peek() == U'?' || (peek() == U'{' && counts())) {
    return bad_input("pattern: a repetition is repeated at character ", before);
  }
  return repeat(first, wanted->first, wanted->second);
}

Status RegexCompiler::repeat(size_t first, int least, int most) {
  if (least > kMostRepeats || most > kMostRepeats || (most >= 0 && most < least)) {
    return bad_input("pattern: repeats ", least, " to ", most, " times, expected at most ",
                     kMostRepeats);
  }
  const Code part(code().begin() + static_cast<std::ptrdiff_t>(first), code().end());
  const auto copies = static_cast<size_t>(std::max(least, most) + 1);
  if ((part.size() + 2) * copies > kLargestProgram) return unsupported("pattern is too large");
  code().resize(first);
  for (int i = 0; i < least; ++i) append_shifted(part, first);
  if (most < 0) {
    const size_t loop = code().size();
    emit(Op::Split, loop + 1, loop + part.size() + 2);
    append_shifted(part, first);
    emit(Op::Jump, loop);
    return Done{};
  }
  for (int i = least; i < most; ++i) {
    const size_t here = code().size();
    emit(Op::Split, here + 1, here + 1 + part.size());
    append_shifted(part, first);
  }
  return Done{};
}

// \d, \w, \s: 0; \D, \W, \S: 1 (all but the set); something else: -1, nothing read.
int RegexCompiler::class_escape(Set& set) {
  const char32_t letter = peek(1);
  if (letter == U'd' || letter == U'D') {
    set = {{U'0', U'9'}};
  } else if (letter == U'w' || letter == U'W') {
    set = {{U'0', U'9'}, {U'A', U'Z'}, {U'a', U'z'}, {U'_', U'_'}};
  } else if (letter == U's' || letter == U'S') {
    set = {{U'\t', U'\n'}, {U'\f', U'\r'}, {U' ', U' '}};
  } else {
    return -1;
  }
  at_ += 2;
  return letter == U'D' || letter == U'W' || letter == U'S' ? 1 : 0;
}

Result<char32_t> RegexCompiler::literal_escape() {
  ++at_;
  if (at_end()) return bad_input("pattern: ends in a backslash");
  const char32_t c = pattern_[at_++];
  constexpr std::u32string_view kNames = U"tnrfva";
  constexpr char32_t kMeanings[] = {U'\t', U'\n', U'\r', U'\f', U'\v', U'\a'};
  const size_t named = kNames.find(c);
  if (named != std::u32string_view::npos) return kMeanings[named];
  if (c < 0x80 && !is_word(c)) return c;
  if (c != U'x') return unsupported("pattern: an escape at character ", at_ - 2);
  const bool braces = accept(U'{');
  char32_t value = 0;
  size_t digits = 0;
  for (; digits < (braces ? 8u : 2u); ++digits, ++at_) {
    const size_t digit = std::u32string_view(U"0123456789abcdefABCDEF").find(peek());
    if (at_end() || digit == std::u32string_view::npos) break;
    value = value * 16 + static_cast<char32_t>(digit < 16 ? digit : digit - 6);
  }
  const bool complete = braces ? digits > 0 && accept(U'}') : digits == 2;
  if (!complete || value > kLastCodePoint) return bad_input("pattern: bad \\x at character ", at_);
  return value;
}

// After '['.
Status RegexCompiler::bracket() {
  Set set;
  const bool negated = accept(U'^');
  for (bool first = true; first || peek() != U']'; first = false) {
    if (at_end()) return bad_input("pattern: '[' without ']'");
    if (peek() == U'[' && peek(1) == U':') {
      HONE_RETURN_IF_ERROR(posix_class(set));
      continue;
    }
    if (peek() == U'\\') {
      Set escaped;
      const int kind = class_escape(escaped);
      if (kind == 1) return unsupported("pattern: \\D, \\W or \\S inside brackets");
      set.insert(set.end(), escaped.begin(), escaped.end());
      if (kind == 0) continue;
    }
    const auto one = [&]() -> Result<char32_t> {
      if (peek() == U'\\') return literal_escape();
      return pattern_[at_++];
    };
    HONE_TRY(const char32_t low, one());
    char32_t high = low;
    if (peek() == U'-' && at_ + 1 < pattern_.size() && peek(1) != U']') {
      ++at_;
      HONE_TRY(high, one());
    }
    if (high < low) return bad_input("pattern: a range runs backward before character ", at_);
    set.push_back({low, high});
  }
  ++at_;
  emit_set(std::move(set), negated);
  return Done{};
}

Status RegexCompiler::posix_class(Set& set) {
  struct Named {
    std::u32string_view name;
    Set set;
  };
  static const Named kClasses[] = {
      {U"[:alpha:]", {{U'A', U'Z'}, {U'a', U'z'}}},
      {U"[:digit:]", {{U'0', U'9'}}},
      {U"[:alnum:]", {{U'0', U'9'}, {U'A', U'Z'}, {U'a', U'z'}}},
      {U"[:upper:]", {{U'A', U'Z'}}},
      {U"[:lower:]", {{U'a', U'z'}}},
      {U"[:space:]", {{U'\t', U'\r'}, {U' ', U' '}}},
      {U"[:blank:]", {{U'\t', U'\t'}, {U' ', U' '}}},
      {U"[:punct:]", {{U'!', U'/'}, {U':', U'@'}, {U'[', U'`'}, {U'{', U'~'}}},
      {U"[:xdigit:]", {{U'0', U'9'}, {U'A', U'F'}, {U'a', U'f'}}},
      {U"[:word:]", {{U'0', U'9'}, {U'A', U'Z'}, {U'a', U'z'}, {U'_', U'_'}}},
  };
  for (const Named& named : kClasses) {
    if (!accept(named.name)) continue;
    set.insert(set.end(), named.set.begin(), named.set.end());
    return Done{};
  }
  return unsupported("pattern: a class at character ", at_);
}

void RegexCompiler::emit_set(Set set, bool negated) {
  if (negated) {
    std::ranges::sort(set, {}, &Regex::Range::first);
    Set others;
    char32_t next = 0;
    for (const Regex::Range& range : set) {
      if (range.first > next) others.push_back({next, range.first - 1});
      next = std::max(next, static_cast<char32_t>(range.last + 1));
    }
    if (next <= kLastCodePoint) others.push_back({next, kLastCodePoint});
    set = std::move(others);
  }
  emit(Op::Set, regex_.sets_.size());
  regex_.sets_.push_back(std::move(set));
}

// The program addresses that are alive at one place of the text.
class Regex::Threads {
 public:
  explicit Threads(size_t program_size) : seen_(program_size) {}

  void clear() {
    for (const size_t address : reached_) seen_[address] = false;
    reached_.clear();
  }

  // Follows jumps from `start`, at position `at` of the text.
  void add(const Regex& regex, size_t start, const std::u32string& text, size_t at) {
    pending_.push_back(start);
    while (!pending_.empty()) {
      const size_t address = pending_.back();
      pending_.pop_back();
      if (seen_[address]) continue;
      seen_[address] = true;
      reached_.push_back(address);
      const Instruction& instruction = regex.program_[address];
      if (instruction.op == Op::Jump || instruction.op == Op::Split)
        pending_.push_back(instruction.a);
      if (instruction.op == Op::Split) pending_.push_back(instruction.b);
      if (holds(instruction.op, text, at)) pending_.push_back(address + 1);
    }
  }

  const std::vector<size_t>& reached() const { return reached_; }

 private:
  static bool holds(Op assertion, const std::u32string& text, size_t at) {
    const bool before = at > 0 && is_word(text[at - 1]);
    const bool after = at < text.size() && is_word(text[at]);
    switch (assertion) {
      case Op::TextBegin:
        return at == 0;
      case Op::TextEnd:
        return at == text.size();
      case Op::WordEdge:
        return before != after;
      case Op::NoWordEdge:
        return before == after;
      default:
        return false;
    }
  }

  std::vector<bool> seen_;
  std::vector<size_t> reached_;
  std::vector<size_t> pending_;
};

Result<Regex> Regex::compile(std::string_view pattern) {
  HONE_TRY(std::u32string points, decode(pattern));
  return RegexCompiler(std::move(points)).run();
}

Result<bool> Regex::matches_all_of(std::string_view text) const {
  HONE_TRY(const std::u32string points, decode(text));
  return runs_through(points, Where::Whole);
}

bool Regex::found_in(std::string_view text) const {
  return runs_through(decode_any(text), Where::Anywhere);
}

bool Regex::has_matched(const Threads& threads) const {
  return std::ranges::any_of(threads.reached(),
                             [&](size_t address) { return program_[address].op == Op::Match; });
}

bool Regex::runs_through(const std::u32string& text, Where where) const {
  const bool anywhere = where == Where::Anywhere;
  Threads now(program_.size()), next(program_.size());
  now.add(*this, 0, text, 0);
  for (size_t at = 0; at < text.size(); ++at) {
    if (anywhere && has_matched(now)) return true;
    next.clear();
    for (const size_t address : now.reached()) {
      if (program_[address].op != Op::Set) continue;
      const bool inside = std::ranges::any_of(sets_[program_[address].a], [&](const Range& range) {
        return text[at] >= range.first && text[at] <= range.last;
      });
      if (inside) next.add(*this, address + 1, text, at + 1);
    }
    if (anywhere) next.add(*this, 0, text, at + 1);
    std::swap(now, next);
  }
  return has_matched(now);
}

}  // namespace hone
