#include "hone/base/short_name.h"

#include <algorithm>
#include <map>
#include <set>

#include "hone/base/printable.h"

namespace hone {
namespace {

constexpr std::string_view kGap = "...";

// "conv1 + 2" stands for three layers: " + 2".
std::string_view count_in(std::string_view name) {
  const size_t plus = name.rfind(" + ");
  if (plus == std::string_view::npos) return "";
  const bool number = name.find_first_not_of("0123456789", plus + 3) == std::string_view::npos;
  return number ? name.substr(plus) : "";
}

bool inside_character(std::string_view text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// The letters from `begin` to `end`, less what would be half a character.
std::string whole_characters(const std::string& name, size_t begin, size_t end) {
  while (inside_character(name, begin)) ++begin;
  while (end > begin && inside_character(name, end)) --end;
  return name.substr(begin, end - begin);
}

// Of a group that begins alike: a name's head, and what comes where they part.
std::string from_where_they_part(const std::string& name, size_t shared, size_t width) {
  if (name.size() <= width) return name;
  const size_t head = std::min<size_t>(8, width / 4);
  const size_t room = width - head - 2 * kGap.size();
  const size_t begin = shared - std::min(shared, std::min<size_t>(8, room / 3));
  if (begin <= head + kGap.size()) {
    return whole_characters(name, 0, width - kGap.size()).append(kGap);
  }
  const size_t end = std::min(name.size(), begin + room);
  return whole_characters(name, 0, head)
      .append(kGap)
      .append(whole_characters(name, begin, end))
      .append(end < name.size() ? kGap : "");
}

size_t shared_letters(const std::vector<std::string>& names) {
  size_t shared = names[0].size();
  for (const std::string& name : names) {
    const auto part = std::ranges::mismatch(names[0], name).in1;
    shared = std::min(shared, static_cast<size_t>(part - names[0].begin()));
  }
  return shared;
}

}  // namespace

std::string without_middle(std::string_view name, size_t width) {
  if (name.size() <= width) return std::string(name);
  size_t head = (width - kGap.size()) / 2;
  size_t tail = name.size() - (width - kGap.size() - head);
  while (head > 0 && inside_character(name, head)) --head;
  while (inside_character(name, tail)) ++tail;
  return std::string(name.substr(0, head)).append(kGap).append(name.substr(tail));
}

std::string short_name(const std::string& whole, size_t width) {
  const std::string name = printable(whole, std::string::npos);
  const std::string_view count = count_in(name);
  const std::string_view layers = std::string_view(name).substr(0, name.size() - count.size());
  const size_t end = layers.find(';');
  std::string first(layers.substr(0, end));
  if (end != std::string_view::npos) first += ";...";
  return without_middle(first, width - count.size()).append(count);
}

std::vector<std::string> short_names(const std::vector<std::string>& names, size_t width) {
  constexpr size_t kNumber = 4;  // " (2)".
  std::map<std::string, std::set<std::string>> alike;
  for (const std::string& name : names) alike[short_name(name, width)].insert(name);
  std::map<std::string, std::string> shown;
  std::set<std::string> taken;
  for (const auto& [text, group] : alike) {
    if (group.size() == 1) taken.insert(text);
  }
  for (const auto& [text, group] : alike) {
    if (group.size() == 1) {
      shown[*group.begin()] = text;
      continue;
    }
    std::vector<std::string> plain;
    for (const std::string& name : group) plain.push_back(printable(name, std::string::npos));
    const size_t shared = shared_letters(plain);
    size_t i = 0;
    for (const std::string& name : group) {
      const std::string apart = from_where_they_part(plain[i++], shared, width - kNumber);
      std::string one = apart;
      for (size_t number = 2; !taken.insert(one).second; ++number) {
        one = apart + " (" + std::to_string(number) + ")";
      }
      shown[name] = one;
    }
  }
  std::vector<std::string> result;
  for (const std::string& name : names) result.push_back(shown[name]);
  return result;
}

std::string with_short_names(const std::string& text) {
  std::string result;
  size_t at = 0;
  while (at < text.size()) {
    const size_t open = text.find('\'', at);
    const size_t close = open == std::string::npos ? open : text.find('\'', open + 1);
    if (close == std::string::npos) break;
    result += text.substr(at, open + 1 - at);
    result += short_name(text.substr(open + 1, close - open - 1));
    result += '\'';
    at = close + 1;
  }
  return result + text.substr(at);
}

}  // namespace hone
