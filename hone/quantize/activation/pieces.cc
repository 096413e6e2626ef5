// Greedy: every piece is as long as some line (or parabola) stays within the allowed band; no other
// cut needs fewer pieces, since the longest first piece leaves the least to the rest.
//
// Whether a line of slope m fits a band [low, high] is g(m) <= 0 with
//   g(m) = max(low - m x) - min(high - m x),
// which is convex: its least value is found by bisection on the sign of its slope, x_min - x_max of
// the points that touch. A curvature a is taken off the band first; the least g over m is convex in
// a, too.

#include "hone/quantize/activation/pieces.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kSlopeSteps = 48;
constexpr int kCurveSteps = 40;
constexpr double kSlack = 0.02;      // Of a unit of the last place, for rounding the coefficients.
constexpr double kSharpest = 1.9;    // Curvature; with its fixed point it stays below 2^31.
constexpr size_t kMostPoints = 512;  // A parabola is fitted to these; all are checked afterwards.

// What y may be at d codes from the start of a piece.
struct Band {
  double d;
  double low;
  double high;
};

struct Fit {
  double a = 0;
  double b = 0;
  double c = 0;
  double excess = kInfinity;  // By which the band is missed; fits when not above 0.
};

struct Touch {
  double value;
  double at;
};

// c lies between max(low - a d^2 - b d) and min(high - ...).
Fit fit_line(const std::vector<Band>& band, double a) {
  double steepest = 0;
  for (size_t i = 1; i < band.size(); ++i) {
    const double rise = std::abs((band[i].low + band[i].high - band[0].low - band[0].high) / 2 -
                                 a * band[i].d * band[i].d);
    if (std::isfinite(rise)) steepest = std::max(steepest, rise / band[i].d);
  }
  double low = -4 * steepest - 4;
  double high = 4 * steepest + 4;
  Fit best{.a = a};
  for (int step = 0; step < kSlopeSteps; ++step) {
    const double b = (low + high) / 2;
    Touch below{-kInfinity, 0};
    Touch above{kInfinity, 0};
    for (const Band& point : band) {
      const double line = a * point.d * point.d + b * point.d;
      if (point.low - line > below.value) below = {point.low - line, point.d};
      if (point.high - line < above.value) above = {point.high - line, point.d};
    }
    const double excess = below.value - above.value;
    if (excess < best.excess) {
      const double c = std::isinf(below.value)   ? above.value
                       : std::isinf(above.value) ? below.value
                                                 : (below.value + above.value) / 2;
      best = {a, b, c, excess};
    }
    // g falls with b when the point that presses from below lies farther right.
    (below.at > above.at ? low : high) = b;
  }
  return best;
}

Fit fit_parabola(const std::vector<Band>& band) {
  if (const Fit line = fit_line(band, 0); line.excess <= 0) return line;
  const double length = std::max(1.0, band.back().d);
  double reach = 1;
  for (const Band& point : band) {
    if (std::isfinite(point.low)) reach = std::max(reach, std::abs(point.low - band[0].high));
  }
  double high = std::min(8 * reach / (length * length), kSharpest);
  double low = -high;
  constexpr double kGolden = 0.6180339887498949;
  Fit left = fit_line(band, high - kGolden * (high - low));
  Fit right = fit_line(band, low + kGolden * (high - low));
  for (int step = 0; step < kCurveSteps && std::min(left.excess, right.excess) > 0; ++step) {
    if (left.excess < right.excess) {
      high = right.a;
      right = left;
      left = fit_line(band, high - kGolden * (high - low));
    } else {
      low = left.a;
      left = right;
      right = fit_line(band, low + kGolden * (high - low));
    }
  }
  return left.excess < right.excess ? left : right;
}

class Cutter {
 public:
  Cutter(const QuantizedFunction& function, int degree, double max_error)
      : function_(function), max_error_(max_error) {
    result_.in = function.in();
    result_.out = function.out();
    result_.degree = degree;
    // y << shift stays below 2^30.
    result_.shift = function.out().dtype == DType::I16 ? 13 : 20;
    result_.square_bits = degree == 2 ? 10 : 0;
  }

  Result<PiecewiseFunction> run() {
    for (int32_t first = result_.in.first(); first <= result_.in.last();) {
      const int32_t last = longest_from(first);
      if (last < first) {
        return unsupported("no integer coefficients keep code ", first, " within ", max_error_,
                           " units of the last place");
      }
      first = last + 1;
    }
    return std::move(result_);
  }

 private:
  // Doubles the length while it fits, then halves the interval in which it stops to.
  int32_t longest_from(int32_t first) {
    const int32_t end = result_.in.last();
    int32_t good = first - 1;
    int32_t bad = end + 1;
    Piece best;
    for (int32_t length = 1; good < end && bad > end; length *= 2) {
      const int32_t last = std::min(end, first + length - 1);
      if (!try_piece(first, last, best)) {
        bad = last;
      } else {
        good = last;
      }
    }
    while (bad - good > 1) {
      const int32_t middle = good + (bad - good) / 2;
      (try_piece(first, middle, best) ? good : bad) = middle;
    }
    if (good >= first) result_.pieces.push_back(best);
    return good;
  }

  std::vector<Band> band_of(int32_t first, int32_t last) const {
    const auto codes = static_cast<size_t>(last - first) + 1;
    const size_t stride = result_.degree == 2 ? (codes + kMostPoints - 1) / kMostPoints : 1;
    std::vector<Band> band;
    const auto add = [&](int32_t code) {
      const double y = function_.exact(code);
      // All that rounds to a code near enough; where the output ends, anything beyond is cut back.
      const double low = std::ceil(y - max_error_) - 0.5 + kSlack;
      const double high = std::floor(y + max_error_) + 0.5 - kSlack;
      band.push_back({static_cast<double>(code - first),
                      low < result_.out.first() ? -kInfinity : low,
                      high > result_.out.last() ? kInfinity : high});
    };
    for (int32_t code = first; code <= last; code += static_cast<int32_t>(stride)) add(code);
    if ((codes - 1) % stride != 0) add(last);
    return band;
  }

  bool try_piece(int32_t first, int32_t last, Piece& piece) const {
    const std::vector<Band> band = band_of(first, last);
    const Fit fit = result_.degree == 2 ? fit_parabola(band) : fit_line(band, 0);
    if (fit.excess > 2 * kSlack || !std::isfinite(fit.c)) return false;
    const double unit = std::ldexp(1, result_.shift);
    const double a = std::round(fit.a * std::ldexp(unit, result_.square_bits));
    const double b = std::round(fit.b * unit);
    const double c = std::round(fit.c * unit);
    for (const double coefficient : {a, b, c}) {
      if (std::abs(coefficient) >= 0x1p31) return false;
    }
    const Piece rounded{first, static_cast<int32_t>(a), static_cast<int32_t>(b),
                        static_cast<int32_t>(c)};
    if (!within(rounded, last)) return false;
    piece = rounded;
    return true;
  }

  bool within(const Piece& piece, int32_t last) const {
    PiecewiseFunction one = result_;
    one.pieces = {piece};
    for (int32_t code = piece.first; code <= last; ++code) {
      if (std::abs(one(code) - function_.exact(code)) > max_error_) return false;
    }
    return true;
  }

  const QuantizedFunction& function_;
  double max_error_;
  PiecewiseFunction result_;
};

}  // namespace

int32_t PiecewiseFunction::operator()(int32_t code) const {
  const auto after = std::ranges::upper_bound(pieces, code, {}, &Piece::first);
  const Piece& piece = *(after - 1);
  const int64_t d = code - piece.first;
  int64_t y = piece.b * d + piece.c;
  if (degree == 2) y += (piece.a * d * d) >> square_bits;
  y = (y + (int64_t{1} << (shift - 1))) >> shift;
  return static_cast<int32_t>(std::clamp<int64_t>(y, out.first(), out.last()));
}

Result<PiecewiseFunction> make_pieces(const QuantizedFunction& function, int degree,
                                      double max_error) {
  if (!(max_error >= 0.5)) {
    return bad_input("worst error ", max_error,
                     " units of the last place: rounding alone costs 0.5");
  }
  return Cutter(function, degree, max_error).run();
}

}  // namespace hone
