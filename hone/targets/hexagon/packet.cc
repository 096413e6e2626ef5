#include "hone/targets/hexagon/packet.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace hone::hexagon {
namespace {

std::optional<uint32_t> hex_number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// The vector registers that a text names, pairs with both: "v5:4.w".
uint32_t vectors_in(std::string_view text) {
  uint32_t found = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = text[i] == 'v' && (i == 0 || !is_word(text[i - 1]));
    if (!begins || i + 1 == text.size() || !is_digit(text[i + 1])) continue;
    do {
      unsigned number = 0;
      for (++i; i < text.size() && is_digit(text[i]); ++i) {
        number = 10 * number + static_cast<unsigned>(text[i] - '0');
      }
      found |= 1u << (number % 32);
    } while (i + 1 < text.size() && text[i] == ':' && is_digit(text[i + 1]));
  }
  return found;
}

bool names_one_of(std::string_view text, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    const size_t at = text.find(name);
    return at != std::string_view::npos && (at == 0 || !is_word(text[at - 1]));
  });
}

// By Qualcomm's manuals of HVX: multipliers, shifters and permutations take what they are given a cycle early,
// and so do stores that are not aligned.
constexpr std::string_view kMultiplies[] = {"vrmpy", "vmpy", "vmpa", "vdmpy", "vtmpy", "vdsad"};
constexpr std::string_view kMoves[] = {
    "vasr",    "vasl",   "vlsr",    "vror",   "vshuff", "vdeal",    "vlut", "vpack",  "valign",
    "vlalign", "vdelta", "vrdelta", "vround", "vsat",   "vnormamt", "vclb", "vinsert"};

// Adds one instruction: "v11.w += vrmpy(v12.ub,r2.b)".
void add_instruction(std::string_view text, Packet& packet) {
  if (text.starts_with("immext") || text == "nop") return;
  ++packet.instructions;
  const uint32_t named = vectors_in(text);
  if (named == 0) return;
  ++packet.vectors;
  if (text.find("vmemu") != std::string_view::npos) ++packet.unaligned;
  const size_t equals = text.find('=');
  const std::string_view left = text.substr(0, equals);
  const std::string_view right = equals == std::string_view::npos ? "" : text.substr(equals + 1);
  const bool stores = left.find("vmem") != std::string_view::npos;
  if (stores) {
    if (left.find("vmemu") != std::string_view::npos) packet.early |= vectors_in(right);
    return;
  }
  const bool multiplies = names_one_of(right, kMultiplies);
  if (multiplies) ++packet.multiplies;
  if (multiplies || names_one_of(right, kMoves)) packet.early |= vectors_in(right);
  packet.writes |= vectors_in(left);
}

std::string_view cut_line(std::string_view& text) {
  const size_t at = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, at);
  text.remove_prefix(std::min(text.size(), at + 1));
  return line;
}

class ListingParser {
 public:
  Listing parse(std::string_view text) {
    while (!text.empty()) add_line(cut_line(text));
    for (size_t i = 0; i < result_.functions.size(); ++i) {
      const bool is_last = i + 1 == result_.functions.size();
      result_.functions[i].end = is_last ? last_ + 4 : result_.functions[i + 1].begin;
    }
    return std::move(result_);
  }

 private:
  void add_line(std::string_view line) {
    if (line.ends_with(">:")) return add_function(line);
    const size_t colon = line.find(": ");
    const auto address = hex_number(line.substr(0, colon));
    if (colon != std::string_view::npos && address)
      return add_code(*address, line.substr(colon + 2));
    add_section(line);
  }

  // "00020120 <work>:"
  void add_function(std::string_view line) {
    const size_t open = line.find(" <");
    const auto address = hex_number(line.substr(0, open));
    if (open == std::string_view::npos || !address) return;
    result_.functions.push_back(
        {std::string(line.substr(open + 2, line.size() - open - 4)), *address, *address});
  }

  // "  2 .text               00001884 00020120 TEXT"
  void add_section(std::string_view line) {
    const size_t dot = line.find(" .");
    if (dot == std::string_view::npos) return;
    line.remove_prefix(dot + 1);
    const size_t end = std::min(line.find(' '), line.size());
    const size_t begin = line.find_first_not_of(' ', end);
    if (begin == std::string_view::npos) return;
    const auto bytes = hex_number(line.substr(begin, 8));
    if (bytes) result_.sections[std::string(line.substr(0, end))] = *bytes;
  }

  // "{ \tv0 = vmem(r2+#0x0)", "  \tr1 = add(r1,#0x10); \tmemb(r1+#0x8) = r21 }  :endloop0"
  void add_code(uint32_t address, std::string_view text) {
    last_ = address;
    if (text.starts_with('{')) result_.packets.push_back({.address = address});
    if (result_.packets.empty()) return;
    text = text.substr(0, text.find('}'));
    while (!text.empty()) {
      const size_t end = std::min(text.find(';'), text.size());
      std::string_view one = text.substr(0, end);
      text.remove_prefix(std::min(text.size(), end + 1));
      while (!one.empty() && (one.front() == '{' || one.front() <= ' ')) one.remove_prefix(1);
      while (!one.empty() && one.back() <= ' ') one.remove_suffix(1);
      if (!one.empty()) add_instruction(one, result_.packets.back());
    }
  }

  Listing result_;
  uint32_t last_ = 0;
};

}  // namespace

std::span<const Packet> Listing::between(uint32_t begin, uint32_t end) const {
  const auto first = std::ranges::lower_bound(packets, begin, {}, &Packet::address);
  const auto last = std::ranges::lower_bound(packets, end, {}, &Packet::address);
  return {first, last};
}

Listing parse_listing(std::string_view text) {
  return ListingParser().parse(text);
}

}  // namespace hone::hexagon
