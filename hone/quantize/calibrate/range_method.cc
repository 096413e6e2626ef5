#include "hone/quantize/calibrate/range_method.h"

#include <algorithm>
#include <cmath>

#include "hone/base/text.h"
#include "hone/ops/quant/integer.h"

namespace hone {
namespace {

constexpr int kSteps = 64;  // Ranges tried between nothing and everything.

// The part of the values below which the least, and above which the largest, are cut.
Range cut(const Observation& seen, double percentile) {
  const auto outside = static_cast<double>(seen.histogram.count()) * (1 - percentile / 100) / 2;
  Range range = seen.range;
  double below = 0, above = 0;
  for (size_t i = 0; i < Histogram::kBins; ++i) {
    below += static_cast<double>(seen.histogram.bin(i));
    if (below > outside) {
      range.low = std::max(range.low, seen.histogram.bin_low(i));
      break;
    }
  }
  for (size_t i = Histogram::kBins; i-- > 0;) {
    above += static_cast<double>(seen.histogram.bin(i));
    if (above > outside) {
      const float high = seen.histogram.bin_low(i) + seen.histogram.bin_width();
      range.high = std::min(range.high, high);
      break;
    }
  }
  return range;
}

struct Levels {
  float scale;
  float first;  // The least value that an integer stands for,
  float last;   // and the largest.

  float nearest(float x) const { return std::clamp(std::round(x / scale) * scale, first, last); }
};

Levels levels_of(Range range, const Scheme& scheme) {
  const Quantization params = activation_params(range, scheme);
  const float scale = params.scale();
  const auto zero = static_cast<float>(params.zero_point());
  const IntRange codes = range_of(scheme.activations);
  const auto low = static_cast<float>(codes.low);
  const auto high = static_cast<float>(codes.high);
  return {scale, (low - zero) * scale, (high - zero) * scale};
}

double squared_error(const Histogram& histogram, const Levels& levels) {
  double sum = 0;
  // Inside a bin that is wider than a level the values are taken as spread evenly.
  const double spread = double{levels.scale} * levels.scale / 12;
  const bool coarse = histogram.bin_width() >= levels.scale;
  for (size_t i = 0; i < Histogram::kBins; ++i) {
    if (histogram.bin(i) == 0) continue;
    const float x = histogram.bin_center(i);
    const bool inside = x >= levels.first && x <= levels.last;
    const double error = double{x} - levels.nearest(x);
    sum += static_cast<double>(histogram.bin(i)) * (inside && coarse ? spread : error * error);
  }
  return sum;
}

// How the distribution differs from what is left of it after quantization: values outside sit at
// the ends, and the bins of one level become equal.
double divergence(const Histogram& histogram, const Levels& levels) {
  static constexpr size_t kBins = Histogram::kBins;
  std::array<double, kBins> kept = {};
  double total = 0;
  for (size_t i = 0; i < kBins; ++i) {
    if (histogram.bin(i) == 0) continue;
    const float x = std::clamp(histogram.bin_center(i), levels.first, levels.last);
    const auto at = static_cast<size_t>((x - histogram.bin_low(0)) / histogram.bin_width());
    kept[std::min(at, kBins - 1)] += static_cast<double>(histogram.bin(i));
    total += static_cast<double>(histogram.bin(i));
  }
  double sum = 0;
  for (size_t begin = 0; begin < kBins;) {
    const float level = levels.nearest(histogram.bin_center(begin));
    size_t end = begin;
    double mass = 0;
    int filled = 0;
    while (end < kBins && levels.nearest(histogram.bin_center(end)) == level) {
      // What clipping moved here is not what the level was made from.
      const bool inside =
          histogram.bin_center(end) >= levels.first && histogram.bin_center(end) <= levels.last;
      if (inside) mass += static_cast<double>(histogram.bin(end));
      filled += kept[end] > 0 ? 1 : 0;
      ++end;
    }
    for (size_t i = begin; i < end; ++i) {
      if (kept[i] == 0) continue;
      const double p = kept[i] / total;
      const double q = std::max(mass / filled / total, 1e-9);
      sum += p * std::log(p / q);
    }
    begin = end;
  }
  return sum;
}

// The range with the least loss among those whose ends lie between zero and what was seen: first
// both ends together, then each by itself.
template <class Loss>
Range least(const Observation& seen, const Scheme& scheme, const Loss& loss) {
  const auto at = [&](int low, int high) {
    return Range{seen.range.low * static_cast<float>(low) / kSteps,
                 seen.range.high * static_cast<float>(high) / kSteps};
  };
  int best_low = kSteps, best_high = kSteps;
  double best = loss(seen.histogram, levels_of(at(kSteps, kSteps), scheme));
  const auto try_ends = [&](int low, int high) {
    const double here = loss(seen.histogram, levels_of(at(low, high), scheme));
    if (here < best) {
      best = here;
      best_low = low;
      best_high = high;
    }
  };
  for (int step = 1; step < kSteps; ++step) try_ends(step, step);
  const int low = best_low;
  for (int step = 1; step <= kSteps; ++step) try_ends(low, step);
  const int high = best_high;
  for (int step = 1; step <= kSteps; ++step) try_ends(step, high);
  return at(best_low, best_high);
}

}  // namespace

const std::vector<std::string>& range_method_names() {
  static const std::vector<std::string> kNames = {"minmax", "moving-average", "percentile",
                                                  "entropy", "mse"};
  return kNames;
}

Result<RangeMethod> range_method_named(const std::string& name) {
  const auto& names = range_method_names();
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<RangeMethod>(found - names.begin());
  return bad_input("no calibration method '", name, "'", did_you_mean(name, names),
                   "; there are: ", join(names));
}

Range choose_range(const Observation& seen, RangeMethod method, double percentile,
                   const Scheme& scheme) {
  if (seen.samples == 0 || seen.histogram.count() == 0) return seen.range;
  switch (method) {
    case RangeMethod::MinMax:
      return seen.range;
    case RangeMethod::MovingAverage:
      return seen.average;
    case RangeMethod::Percentile:
      return cut(seen, percentile);
    case RangeMethod::Entropy:
      return least(seen, scheme, divergence);
    case RangeMethod::Mse:
      return least(seen, scheme, squared_error);
  }
  return seen.range;
}

}  // namespace hone
