#include "hone/targets/cortex_m/instruction.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

namespace hone::cortex_m {
namespace {

constexpr uint64_t kFlags = uint64_t{1} << 48;
constexpr int kFirstFloat = 16;

constexpr std::string_view kConditions[] = {"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc",
                                            "hi", "ls", "ge", "lt", "gt", "le", "hs", "lo"};

template <size_t kCount>
bool is_one_of(std::string_view name, const std::string_view (&names)[kCount]) {
  return std::ranges::find(names, name) != std::end(names);
}
template <size_t kCount>
bool begins_with(std::string_view name, const std::string_view (&beginnings)[kCount]) {
  return std::ranges::any_of(beginnings,
                             [&](std::string_view one) { return name.starts_with(one); });
}

// Numbers behind a letter: "r12", "s3".
std::optional<int> number_behind(std::string_view text, char letter) {
  if (text.size() < 2 || text.size() > 3 || text[0] != letter) return std::nullopt;
  int number = 0;
  for (const char digit : text.substr(1)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = 10 * number + (digit - '0');
  }
  return number;
}

uint64_t floats_from(int first, int count) {
  return ((uint64_t{1} << count) - 1) << (kFirstFloat + first);
}

// 0 of what is no register.
uint64_t register_named(std::string_view text) {
  constexpr std::pair<std::string_view, int> kNames[] = {
      {"sb", 9}, {"sl", 10}, {"fp", 11}, {"ip", 12}, {"sp", 13}, {"lr", 14}, {"pc", 15}};
  for (const auto& [name, number] : kNames) {
    if (text == name) return uint64_t{1} << number;
  }
  if (const auto r = number_behind(text, 'r'); r && *r < 16) return uint64_t{1} << *r;
  if (const auto s = number_behind(text, 's'); s && *s < 32) return floats_from(*s, 1);
  if (const auto d = number_behind(text, 'd'); d && *d < 16) return floats_from(2 * *d, 2);
  if (const auto q = number_behind(text, 'q'); q && *q < 8) return floats_from(4 * *q, 4);
  return 0;
}

// The operands of an instruction: registers in the order they stand, and which of them are inside of brackets.
struct Operand {
  uint64_t registers = 0;
  bool in_address = false;
};

struct Operands {
  std::vector<Operand> list;
  bool writes_back = false;  // The register of the address changes.
  bool shifted = false;
  int in_braces = 0;  // Registers of a list.
};

Operands operands_of(std::string_view text) {
  Operands result;
  text = text.substr(0, text.find_first_of("@;<"));
  bool in_address = false, in_braces = false;
  uint64_t range_from = 0;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '[') in_address = true;
    if (c == '{') in_braces = true;
    if (c == '}') in_braces = false;
    if (c == '!') result.writes_back = true;
    if (c == ']') {
      in_address = false;
      // "[r0], #4": what follows the address is added to it.
      if (text.find(',', at) != std::string_view::npos) result.writes_back = true;
    }
    if (c == '-' && in_braces && !result.list.empty()) range_from = result.list.back().registers;
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) {
      ++at;
      continue;
    }
    const size_t end = std::min(text.size(), text.find_first_of(" ,]}!-", at));
    const std::string_view word = text.substr(at, end - at);
    at = end;
    if (word == "lsl" || word == "lsr" || word == "asr" || word == "ror") result.shifted = true;
    const uint64_t found = register_named(word);
    if (found == 0) continue;
    uint64_t all = found;
    // "r4-r7", of which the first was told already.
    for (uint64_t one = range_from << 1; range_from != 0 && one < found; one <<= 1) all |= one;
    range_from = 0;
    if (in_braces) result.in_braces += std::popcount(all);
    result.list.push_back({all, in_address});
  }
  return result;
}

bool is_call(std::string_view name) {
  return name == "bl" || name == "bx";
}

// "addeq.w" is "add", and so is "adds".
std::string plain_name(std::string_view name, bool& conditional, bool& sets_flags) {
  name = name.substr(0, name.find('.'));
  constexpr std::string_view kWhole[] = {"vcmpe", "vfmas", "vmlas"};
  // Shorter ones have none, but for calls and returns.
  const bool has_room = name.size() > 4 || (name.size() == 4 && is_call(name.substr(0, 2)));
  const size_t stem = name.size() < 2 ? 0 : name.size() - 2;
  conditional = has_room && is_one_of(name.substr(stem), kConditions) && !is_one_of(name, kWhole);
  if (conditional) name.remove_suffix(2);
  constexpr std::string_view kFlagged[] = {"adds", "subs", "rsbs", "ands", "orrs", "eors",
                                           "bics", "mvns", "movs", "lsls", "lsrs", "asrs",
                                           "rors", "muls", "adcs", "sbcs", "negs"};
  sets_flags = is_one_of(name, kFlagged);
  if (sets_flags) name.remove_suffix(1);
  return std::string(name);
}

bool is_vector(std::string_view operands) {
  for (size_t at = operands.find('q'); at != std::string_view::npos;
       at = operands.find('q', at + 1)) {
    if (at + 1 < operands.size() && std::isdigit(static_cast<unsigned char>(operands[at + 1])) != 0)
      return true;
  }
  return false;
}

Unit vector_unit(std::string_view name) {
  if (name.starts_with("vld")) return Unit::VectorLoad;
  if (name.starts_with("vst")) return Unit::VectorStore;
  constexpr std::string_view kMultiply[] = {"vml", "vmul", "vqdmul", "vqrdmul", "vrmul", "vfma"};
  return begins_with(name, kMultiply) ? Unit::VectorMultiply : Unit::VectorAlu;
}

bool is_branch(std::string_view name) {
  constexpr std::string_view kNames[] = {"b", "bl", "bx", "blx", "cbz", "cbnz", "tbb", "tbh"};
  const bool conditional =
      name.size() == 3 && name[0] == 'b' && is_one_of(name.substr(1), kConditions);
  return conditional || is_one_of(name, kNames);
}

Unit unit_of(std::string_view name, std::string_view operands, bool shifted) {
  constexpr std::string_view kLoopEnds[] = {"le", "letp"};
  constexpr std::string_view kLoadMany[] = {"ldm", "pop", "ldrd", "vldm", "vpop"};
  constexpr std::string_view kStoreMany[] = {"stm", "push", "strd", "vstm", "vpush"};
  constexpr std::string_view kMultiply[] = {"mul",  "mla",  "mls",  "smla", "smul", "smua", "smus",
                                            "smls", "smmu", "smml", "umul", "umla", "umaa"};
  constexpr std::string_view kShift[] = {"lsl",  "lsr",  "asr", "ror", "rrx",
                                         "ubfx", "sbfx", "bfi", "bfc"};
  constexpr std::string_view kSimd[] = {"sxt",  "uxt",  "pkh",  "ssat", "usat", "sadd",  "uadd",
                                        "ssub", "usub", "qadd", "qsub", "sel",  "shadd", "uhadd"};
  if (is_branch(name)) return Unit::Branch;
  if (is_one_of(name, kLoopEnds)) return Unit::LoopEnd;
  if (name.starts_with('v') && is_vector(operands)) return vector_unit(name);
  if (begins_with(name, kLoadMany)) return Unit::LoadMany;
  if (begins_with(name, kStoreMany)) return Unit::StoreMany;
  if (name == "ldr" || name.starts_with("vldr")) return Unit::Load;
  if (name.starts_with("ldr")) return Unit::NarrowLoad;
  if (name.starts_with("str") || name.starts_with("vstr")) return Unit::Store;
  if (name.starts_with('v')) return Unit::Float;
  if (name == "sdiv" || name == "udiv") return Unit::Divide;
  if (begins_with(name, kMultiply)) return Unit::Multiply;
  if (begins_with(name, kShift)) return Unit::Shift;
  if (begins_with(name, kSimd)) return Unit::Simd;
  return shifted ? Unit::ShiftedAlu : Unit::Alu;
}

// How many of the first operands it writes.
size_t results_of(std::string_view name, Unit unit) {
  constexpr std::string_view kPairs[] = {"smull", "umull", "smlal", "umlal", "umaal", "ldrd"};
  constexpr std::string_view kNone[] = {"cmp", "cmn",  "tst", "teq", "nop",
                                        "it",  "bkpt", "dsb", "isb"};
  if (begins_with(name, kPairs)) return 2;
  const bool stores = unit == Unit::Store || unit == Unit::StoreMany || unit == Unit::VectorStore;
  return stores || unit == Unit::Branch || is_one_of(name, kNone) ? 0 : 1;
}

// What it changes was read before.
bool accumulates(std::string_view name, Unit unit) {
  constexpr std::string_view kNames[] = {"movt", "bfi", "bfc", "smlal", "umlal", "umaal"};
  constexpr std::string_view kVectors[] = {"vml", "vfma"};
  return is_one_of(name, kNames) || (unit == Unit::VectorMultiply && begins_with(name, kVectors));
}

}  // namespace

Instruction decode(std::string_view name, std::string_view operands) {
  Instruction result;
  bool conditional = false, sets_flags = false;
  const std::string plain = plain_name(name, conditional, sets_flags);
  const Operands all = operands_of(operands);
  result.unit = unit_of(plain, operands, all.shifted);
  size_t results = results_of(plain, result.unit);
  const bool list = all.in_braces > 0;
  const bool loads_list = list && result.unit == Unit::LoadMany;
  if (loads_list) results = all.list.size();
  for (size_t i = 0; i < all.list.size(); ++i) {
    const bool is_base = loads_list && i == 0 && !plain.ends_with("pop");
    const bool written = i < results && !all.list[i].in_address && !is_base;
    (written ? result.writes : result.reads) |= all.list[i].registers;
    if (all.writes_back && (all.list[i].in_address || (list && i == 0))) {
      result.writes |= all.list[i].registers;
    }
  }
  if (accumulates(plain, result.unit) || conditional) result.reads |= result.writes;
  if (sets_flags || plain == "cmp" || plain == "cmn" || plain == "tst") result.writes |= kFlags;
  if (conditional || plain == "adc" || plain == "sbc") result.reads |= kFlags;
  result.registers = static_cast<uint8_t>(std::max(1, list                    ? all.in_braces
                                                      : plain.ends_with("rd") ? 2
                                                                              : 1));
  return result;
}

}  // namespace hone::cortex_m
