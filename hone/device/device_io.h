// What the fields of a device file are told to: one list of them serves for reading and for
// writing, so neither can forget what the other knows. Every key ends in its unit; the scale behind
// it makes that of the struct.
//
//   void fields(DeviceIo& io, Sram& sram) {
//     io.size(sram.bytes);
//     io.extent("banks", sram.banks, Need::Optional);
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

enum class Need { Required, Optional };

// What a word stands for.
template <class Enum>
struct Word {
  std::string_view name;
  Enum value;
};

class DeviceIo {
 public:
  using Words = std::span<const std::string_view>;
  using WordSet = std::set<std::string, std::less<>>;
  using NumberMap = std::map<std::string, double, std::less<>>;

  virtual ~DeviceIo() = default;

  virtual void text(std::string_view key, std::string& value) = 0;
  // Empty where it is missing.
  virtual void maybe_text(std::string_view key, std::string& value) = 0;
  virtual void one_of(std::string_view key, std::string& value, Words words,
                      Need need = Need::Required) = 0;
  virtual void flag(std::string_view key, bool& value, Need need = Need::Required) = 0;
  virtual void positive(std::string_view key, double& value, double scale) = 0;
  virtual void maybe_positive(std::string_view key, std::optional<double>& value,
                              double least = 0) = 0;
  virtual void number(std::string_view key, double& value, double least,
                      Need need = Need::Required) = 0;
  // Both ends are allowed.
  virtual void number_in(std::string_view key, double& value, double least, double most) = 0;
  // More than nothing and at most 1.
  virtual void part(std::string_view key, double& value, Need need = Need::Required) = 0;
  virtual void count(std::string_view key, int64_t& value, int64_t least,
                     Need need = Need::Required) = 0;
  // Either 0, which is none, or a number from the least to the most; may be left out.
  virtual void zero_or(std::string_view key, double& value, double least, double most) = 0;
  // A count of few things; may be left out.
  virtual void few(std::string_view key, int64_t& value, int64_t least, int64_t most) = 0;
  // A count that is multiplied with others.
  virtual void extent(std::string_view key, int& value, Need need = Need::Required) = 0;
  // A size of memory: bytes, kib, mib or gib.
  virtual void size(int64_t& bytes) = 0;
  // `what` is what one of them is: "operator".
  virtual void words(std::string_view key, WordSet& value, Words words, std::string_view what,
                     Need need = Need::Required) = 0;
  // Numbers by name, of which the first must be there unless the table itself may be missing.
  virtual void table(std::string_view key, NumberMap& values, Words names, double scale,
                     Need need = Need::Required) = 0;
  // So many numbers, none of them negative.
  virtual void numbers(std::string_view key, std::vector<double>& values, size_t count) = 0;
  // Parts of 1 by name, all of them.
  virtual void parts(std::string_view key, NumberMap& values, Words names) = 0;

  void count(std::string_view key, int& value, int64_t least, Need need = Need::Required) {
    int64_t wide = value;
    count(key, wide, least, need);
    value = static_cast<int>(wide);
  }

  template <class Enum, size_t kCount>
  void choice(std::string_view key, Enum& value, const Word<Enum> (&words)[kCount]) {
    std::vector<std::string_view> names;
    std::string chosen;
    for (const Word<Enum>& word : words) {
      names.push_back(word.name);
      if (word.value == value) chosen = word.name;
    }
    one_of(key, chosen, names);
    for (const Word<Enum>& word : words) {
      if (word.name == chosen) value = word.value;
    }
  }

  // The place of a name among others.
  void index(std::string_view key, int& value, const std::vector<std::string>& names, Need need) {
    if (names.empty()) return;
    const std::vector<std::string_view> views(names.begin(), names.end());
    std::string name = names[static_cast<size_t>(value)];
    one_of(key, name, views, need);
    for (size_t i = names.size(); i-- > 0;) {
      if (names[i] == name) value = static_cast<int>(i);
    }
  }

  // What has fields of its own, in a table of the file.
  template <class T>
  void section(std::string_view key, T& value) {
    in_section(key, [&](DeviceIo& io) { fields(io, value); });
  }
  template <class T>
  void maybe_section(std::string_view key, std::optional<T>& value) {
    maybe_in_section(key, value.has_value(), [&](DeviceIo& io) {
      if (!value) value.emplace();
      fields(io, *value);
    });
  }
  // Tables in an array of them.
  template <class T>
  void list(std::string_view key, std::vector<T>& values, Need need) {
    in_sections(key, values.size(), need, [&](size_t i, DeviceIo& io) {
      if (i == values.size()) values.emplace_back();
      fields(io, values[i]);
    });
  }

 protected:
  using Inside = std::function<void(DeviceIo& io)>;
  using InsideOf = std::function<void(size_t i, DeviceIo& io)>;
  virtual void in_section(std::string_view key, const Inside& inside) = 0;
  virtual void maybe_in_section(std::string_view key, bool there, const Inside& inside) = 0;
  // `count` is how many there are to be written.
  virtual void in_sections(std::string_view key, size_t count, Need need,
                           const InsideOf& inside) = 0;
};

}  // namespace hone
