#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// Columns of text for a terminal: a header, a rule of dashes, the rows. A column whose cells are
// all numbers (with or without a unit) is aligned on the right. Cells are made printable: a model
// file can bring in anything through a layer's name.
class Table {
 public:
  explicit Table(std::vector<std::string> header);

  // `row` has as many cells as the header.
  void add(std::vector<std::string> row);

  bool empty() const { return rows_.empty(); }

  // Ends in a newline; no line ends in spaces.
  std::string to_string() const;

 private:
  bool is_numeric(size_t column) const;
  size_t width(size_t column) const;

  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

// 3.14159, 2 -> "3.14".
std::string fixed(double value, int digits);

// Milliseconds as a number: three decimals, and more for short times, of which 1 % should still
// show: 8.797, 0.0944, 0.01142.
std::string millis(double ms);

// Three significant digits and a decimal prefix: 3539456 -> "3.54 M", 999 -> "999".
std::string human_count(int64_t count);

// Three significant digits and a binary prefix: 13946060 -> "13.3 MiB", 512 -> "512 B".
std::string human_bytes(uint64_t bytes);

// "850 ns", "12.3 ms", "4.20 s", "2 min 05 s", "3 h 20 min".
std::string human_duration(double seconds);

// How many letters must be inserted, removed, replaced or swapped with their neighbour to turn one
// word into the other.
size_t edit_distance(std::string_view a, std::string_view b);

// " (did you mean 'conv2d'?)" when a candidate is near `word`, else "". Meant to end an error
// message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace hone
