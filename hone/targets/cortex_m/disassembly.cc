#include "hone/targets/cortex_m/disassembly.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace hone::cortex_m {
namespace {

std::optional<uint32_t> hexadecimal(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Up to the next `separator`, which is taken away with it.
std::string_view cut(std::string_view& text, char separator) {
  const size_t at = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(text.size(), at + 1));
  return part;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    if (const std::string_view word = cut(line, ' '); !word.empty()) words.push_back(word);
  }
  return words;
}

class DisassemblyParser {
 public:
  Disassembly parse(std::string_view text) {
    while (!text.empty()) add_line(cut(text, '\n'));
    for (size_t i = 0; i < result_.functions.size(); ++i) end_function(i);
    return std::move(result_);
  }

 private:
  void add_line(std::string_view line) {
    if (line.find('\t') != std::string_view::npos) return add_instruction(line);
    if (line.ends_with(">:")) return add_function(line);
    // "  0 .text  0000121c  00000000 ..."
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() < 6 || !words[1].starts_with('.')) return;
    const auto bytes = hexadecimal(words[2]), address = hexadecimal(words[3]);
    if (bytes && address) result_.sections[std::string(words[1])] = {*bytes, *address};
  }

  // "00000040 <layer_0>:"
  void add_function(std::string_view line) {
    const auto address = hexadecimal(cut(line, ' '));
    if (!address || line.size() < 3) return;
    result_.functions.push_back({std::string(line.substr(1, line.size() - 3)), *address, *address});
  }

  // "      40:\tb538      \tpush\t{r3, r4, r5, lr}"
  void add_instruction(std::string_view line) {
    const auto address = hexadecimal(cut(line, ':'));
    cut(line, '\t');
    const std::string_view code = cut(line, '\t');
    const std::string_view name = cut(line, '\t');
    if (!address || name.empty()) return;
    const auto digits = std::ranges::count_if(code, [](char c) { return c != ' '; });
    last_ = *address + static_cast<uint32_t>(digits / 2);
    if (name.starts_with('.')) return;  // Constants between instructions.
    Instruction instruction = decode(name, line);
    instruction.address = *address;
    instruction.bytes = static_cast<uint8_t>(digits / 2);
    result_.instructions.push_back(instruction);
  }

  void end_function(size_t i) {
    const bool is_last = i + 1 == result_.functions.size();
    result_.functions[i].end = is_last ? last_ : result_.functions[i + 1].begin;
  }

  Disassembly result_;
  uint32_t last_ = 0;
};

}  // namespace

std::span<const Instruction> Disassembly::between(uint32_t begin, uint32_t end) const {
  const auto first = std::ranges::lower_bound(instructions, begin, {}, &Instruction::address);
  const auto last = std::ranges::lower_bound(instructions, end, {}, &Instruction::address);
  return {first, last};
}

Disassembly parse_disassembly(std::string_view text) {
  return DisassemblyParser().parse(text);
}

}  // namespace hone::cortex_m
