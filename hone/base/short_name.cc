#include "hone/base/short_name.h"

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
