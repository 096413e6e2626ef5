// How far apart values are over many elements and samples, in memory that does not grow with them.
#pragma once

#include <cstdint>
#include <vector>

namespace hone {

struct ErrorSums {
  double signal = 0;  // Of expected^2.
  double noise = 0;   // Of (actual - expected)^2.
  double dot = 0;
  double norm = 0;  // Of actual^2.
  double max_abs = 0;
  int64_t elements = 0;

  void add(const std::vector<double>& actual, const std::vector<double>& expected);
  void add(const ErrorSums& other);
  // 10 log10(signal / noise): infinite without error.
  double sqnr_db() const;
  double cosine() const;
};

}  // namespace hone
