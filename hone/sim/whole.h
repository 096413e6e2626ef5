// Arithmetic on whole numbers of cycles, bytes and blocks.
#pragma once

#include <cstdint>

namespace hone::sim {

constexpr int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}
constexpr int64_t round_up(int64_t a, int64_t to) {
  return ceil_div(a, to) * to;
}
constexpr double real(int64_t x) {
  return static_cast<double>(x);
}

}  // namespace hone::sim
