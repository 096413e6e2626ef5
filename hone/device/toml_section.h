// A table of a TOML file, read key by key. A message names the file, the line, the key and what it
// should hold: "my.toml: line 12: sram.banks: expected a whole number from 1 to 64, found ...".
#pragma once

#include <toml++/toml.h>  // Takes seconds to compile: only sources that read TOML see it.
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/metric.h"
#include "hone/base/result.h"

namespace hone {

// A key without the unit it ends in: "clock" of "clock_mhz", "" of "kib". Two keys that differ in
// no more are taken for one with the wrong unit.
std::string_view without_unit(std::string_view key);

class TomlSection {
 public:
  // `table` and `file`, which is what messages call it, outlive the section. `way` leads to it:
  // "memory[2].", "" for the whole file.
  TomlSection(const toml::table& table, const std::string& file, std::string way = "")
      : table_(&table), file_(&file), way_(std::move(way)) {}

  bool has(std::string_view key) const { return find(key) != nullptr; }

  // What is wrong with the value of `key`, or that it is missing.
  Error expected(std::string_view key, std::string_view what) const;
  // Where the value of `key` stands: "my.toml: line 12: sram.banks".
  std::string place(std::string_view key) const;
  // Something else that is wrong with it.
  Error wrong(std::string_view key, std::string_view why) const;

  Result<std::string> text(std::string_view key) const;
  // `fallback` when the key is missing.
  Result<std::string> text_or(std::string_view key, const std::string& fallback) const;
  Result<bool> flag(std::string_view key) const;
  Result<bool> flag_or(std::string_view key, bool fallback) const;
  // Not negative, and not larger than any figure of a machine.
  Result<double> number(std::string_view key) const;
  // Positive, and neither larger nor smaller than any figure of a machine.
  Result<double> positive(std::string_view key) const;
  Result<double> number_from(std::string_view key, double least) const;
  // Both ends are allowed.
  Result<double> number_in(std::string_view key, double least, double most) const;
  // More than nothing and at most 1.
  Result<double> part(std::string_view key) const;
  Result<int64_t> count(std::string_view key, int64_t least, int64_t most) const;
  // `fallback` when the key is missing.
  Result<int> small_count_or(std::string_view key, int fallback) const;
  // Of memory, in bytes: exactly one of the keys bytes, kib, mib, gib.
  Result<int64_t> size() const;
  Result<Mode> mode(std::string_view key) const;
  Result<std::string> one_of(std::string_view key, std::span<const std::string_view> words) const;
  Result<std::vector<std::string>> texts(std::string_view key) const;
  // An array of numbers; both ends are allowed.
  Result<std::vector<double>> list(std::string_view key, double least, double most) const;
  // A list of such words; `what` is what one of them is: "operator".
  Result<std::set<std::string, std::less<>>> words_of(std::string_view key,
                                                      std::span<const std::string_view> words,
                                                      std::string_view what) const;

  Result<TomlSection> section(std::string_view key) const;
  // An array of tables.
  Result<std::vector<TomlSection>> sections(std::string_view key) const;
  // A table of numbers, whatever their names.
  Result<std::map<std::string, double>> numbers(std::string_view key) const;

  // An error if the table has a key that nothing above was asked for. Asked last.
  Status no_other_keys() const;

 private:
  const toml::node* find(std::string_view key) const;
  std::string place(const toml::node& at, std::string_view key) const;
  std::string misspelt(std::string_view key) const;
  Error error(const toml::node& at, std::string_view key, std::string_view why) const;

  const toml::table* table_;
  const std::string* file_;
  std::string way_;
  mutable std::set<std::string, std::less<>> asked_ = {};
};

}  // namespace hone
