// Products with one byte as lines. For each of 256 bytes b there are 256 bytes a to try: it is enough to
// find a slope of 23 bits and an offset that lead to the right side of every step of one.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "hone/kernels/mul_i8/mul_i8.h"

namespace hone {
namespace {

struct Line {
  int64_t slope;
  int64_t offset;
};

// `factor` is what a product of one adds to the result; the shift leaves room for the largest slope and
// the largest result.
int shift_for(double factor) {
  const double steepest = 255 * factor;
  int shift = 24;
  while (shift > 0 && (std::ldexp(steepest, shift) > (1 << 23) - 4 ||
                       std::ldexp(255 * steepest + 4, shift) > std::ldexp(1, 30))) {
    --shift;
  }
  return shift;
}

template <class T>
class LinesOfBytes {
 public:
  LinesOfBytes(const MulI8Args<T>& args, int shift) : args_(args), shift_(shift) {}

  std::optional<Line> find(int32_t b, double factor) const {
    const int64_t slope = std::llround(std::ldexp(factor * (b - args_.b_zero), shift_));
    for (const int64_t more : {0, -1, 1}) {
      if (const auto line = with_slope(b, slope + more)) return line;
    }
    return std::nullopt;
  }

 private:
  static constexpr int64_t kFirst = std::numeric_limits<T>::min();
  static constexpr int64_t kLast = std::numeric_limits<T>::max();

  std::optional<Line> with_slope(int32_t b, int64_t slope) const {
    constexpr int64_t kFar = int64_t{1} << 40;
    const int64_t low = args_.low - args_.y_zero, high = args_.high - args_.y_zero;
    int64_t least = -kFar, most = kFar;  // Of the offset.
    for (int64_t a = kFirst; a <= kLast; ++a) {
      const auto product = static_cast<int32_t>((a - args_.a_zero) * (b - args_.b_zero));
      const int64_t y =
          std::clamp<int64_t>(scale_by(product, args_.factor, args_.rounding), low, high);
      const int64_t step = (y << shift_) - a * slope;
      if (y != low) least = std::max(least, step);
      if (y != high) most = std::min(most, step + (int64_t{1} << shift_) - 1);
    }
    if (least > most) return std::nullopt;
    // Near zero where all of them do.
    const Line line{slope, std::clamp<int64_t>((least + most) / 2, -(1 << 30), 1 << 30)};
    const bool holds = line.offset >= least && line.offset <= most;
    return holds && fits(line) ? std::optional(line) : std::nullopt;
  }

  static bool fits(const Line& line) {
    for (const int64_t a : {kFirst, kLast}) {
      const int64_t x = a * line.slope + line.offset;
      if (x != static_cast<int32_t>(x)) return false;
    }
    return std::abs(line.slope) < 1 << 23;
  }

  const MulI8Args<T>& args_;
  int shift_;
};

}  // namespace

template <class T>
std::shared_ptr<const MulI8Lines> mul_i8_lines(const MulI8Args<T>& args) {
  const double factor = std::ldexp(args.factor.multiplier, args.factor.shift - 31);
  const int shift = shift_for(factor);
  constexpr int kLeastShift = 8;  // With fewer there is hardly a line that holds.
  if (shift < kLeastShift || args.low >= args.high) return nullptr;
  const LinesOfBytes<T> bytes(args, shift);
  auto lines = std::make_shared<MulI8Lines>();
  lines->shift = shift;
  for (int32_t b = std::numeric_limits<T>::min(); b <= std::numeric_limits<T>::max(); ++b) {
    const std::optional<Line> line = bytes.find(b, factor);
    if (!line) return nullptr;
    const auto bits = static_cast<uint8_t>(b);
    lines->slopes[bits] = static_cast<int32_t>(line->slope);
    lines->offsets[bits] = static_cast<int32_t>(line->offset);
  }
  return lines;
}

template std::shared_ptr<const MulI8Lines> mul_i8_lines(const MulI8Args<int8_t>& args);
template std::shared_ptr<const MulI8Lines> mul_i8_lines(const MulI8Args<uint8_t>& args);

}  // namespace hone
