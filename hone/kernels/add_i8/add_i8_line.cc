// The linear form of a sum. Rounding three times makes it a function that is not quite linear, but
// of 65536 pairs only; so it is enough to find slopes of 23 bits and an offset that lead to the right
// side of every step of one.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "hone/kernels/add_i8/add_i8.h"

namespace hone {
namespace {

constexpr int64_t kBytes = 256;

// What a sum is for every pair of bytes, in the order of their values.
class AllSums {
 public:
  template <class T>
  explicit AllSums(const AddI8Args<T>& args)
      : first_(std::numeric_limits<T>::min()), sums_(kBytes * kBytes) {
    std::array<int32_t, kBytes> left, right;
    for (int32_t i = 0; i < kBytes; ++i) {
      const auto scaled = [&](int32_t zero, FixedPoint factor) {
        return scale_by((first_ + i - zero) * (1 << kAddI8Headroom), factor, args.rounding);
      };
      left[static_cast<size_t>(i)] = scaled(args.a_zero, args.a_factor);
      right[static_cast<size_t>(i)] = scaled(args.b_zero, args.b_factor) * (args.subtract ? -1 : 1);
    }
    auto to = sums_.begin();
    for (const int32_t a : left) {
      for (const int32_t b : right) *to++ = scale_by(a + b, args.y_factor, args.rounding);
    }
    const double unit =
        std::ldexp(args.y_factor.multiplier, args.y_factor.shift - 31) / (kBytes - 1);
    a_slope = unit * (static_cast<double>(left.back()) - left.front());
    b_slope = unit * (static_cast<double>(right.back()) - right.front());
  }

  // Results for the byte that is i-th in order, and all others in order, as the second operand.
  const int32_t* row(int64_t i) const { return &sums_[static_cast<size_t>(i * kBytes)]; }
  int32_t first() const { return first_; }
  // Half way between the least and the greatest.
  int64_t middle() const {
    const auto [least, most] = std::minmax(
        {row(0)[0], row(0)[kBytes - 1], row(kBytes - 1)[0], row(kBytes - 1)[kBytes - 1]});
    return (int64_t{least} + most) / 2;
  }

  double a_slope, b_slope;  // About what a byte more adds.

 private:
  int32_t first_;
  std::vector<int32_t> sums_;
};

// Looks for lines between `low` and `high`, which results are clamped to and which, like them, have
// no zero point yet.
class LineSearch {
 public:
  LineSearch(const AllSums& sums, int64_t low, int64_t high)
      : sums_(sums), low_(low), high_(high), middle_(sums.middle()) {
    const double steepest = std::max(std::abs(sums.a_slope), std::abs(sums.b_slope));
    const double rise = (kBytes - 1) * (std::abs(sums.a_slope) + std::abs(sums.b_slope));
    while (shift_ > 0 && (std::ldexp(steepest, shift_) > (1 << 23) - 4 ||
                          std::ldexp(rise + 4, shift_) > std::ldexp(1, 32))) {
      --shift_;
    }
  }

  std::optional<AddI8Line> find() const {
    const int64_t a = std::llround(std::ldexp(sums_.a_slope, shift_));
    const int64_t b = std::llround(std::ldexp(sums_.b_slope, shift_));
    for (const int64_t more_a : {0, -1, 1}) {
      for (const int64_t more_b : {0, -1, 1}) {
        if (const auto line = with_slopes(a + more_a, b + more_b)) return line;
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<AddI8Line> with_slopes(int64_t a, int64_t b) const {
    constexpr int64_t kFar = int64_t{1} << 40;
    int64_t least = -kFar, most = kFar;  // Of the offset.
    for (int64_t i = 0; i < kBytes && least <= most; ++i) {
      const int32_t* row = sums_.row(i);
      for (int64_t j = 0; j < kBytes; ++j) {
        const int64_t y = std::clamp<int64_t>(row[j], low_, high_);
        const int64_t step = ((y - middle_) << shift_) - line_at(a, b, i, j);
        least = std::max(least, y == low_ ? -kFar : step);
        most = std::min(most, y == high_ ? kFar : step + (int64_t{1} << shift_) - 1);
      }
    }
    const int64_t offset = (least + most) / 2;
    if (least > most || !fits(a, b, offset)) return std::nullopt;
    return AddI8Line{.a_slope = static_cast<int32_t>(a),
                     .b_slope = static_cast<int32_t>(b),
                     .offset = static_cast<int32_t>(static_cast<uint32_t>(offset)),
                     .shift = shift_,
                     .zero = static_cast<int32_t>(middle_)};
  }

  int64_t line_at(int64_t a, int64_t b, int64_t i, int64_t j) const {
    return a * (sums_.first() + i) + b * (sums_.first() + j);
  }

  bool fits(int64_t a, int64_t b, int64_t offset) const {
    for (const int64_t i : {int64_t{0}, kBytes - 1}) {
      for (const int64_t j : {int64_t{0}, kBytes - 1}) {
        const int64_t x = line_at(a, b, i, j) + offset;
        if (x != static_cast<int32_t>(x)) return false;
      }
    }
    return std::max(std::abs(a), std::abs(b)) < 1 << 23;
  }

  const AllSums& sums_;
  int64_t low_, high_;
  int64_t middle_;
  int shift_ = 30;
};

}  // namespace

template <class T>
std::optional<AddI8Line> add_i8_line(const AddI8Args<T>& args) {
  const AllSums sums(args);
  auto line = LineSearch(sums, args.low - args.y_zero, args.high - args.y_zero).find();
  if (!line) return std::nullopt;
  line->zero += args.y_zero;
  // Kernels add it in 16 bits.
  constexpr int32_t kMostZero = 1 << 14;
  if (std::abs(line->zero) > kMostZero) return std::nullopt;
  return line;
}

template std::optional<AddI8Line> add_i8_line(const AddI8Args<int8_t>& args);
template std::optional<AddI8Line> add_i8_line(const AddI8Args<uint8_t>& args);

}  // namespace hone
