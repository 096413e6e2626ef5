#include "hone/audio/fixed_mfcc.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "hone/audio/mfcc_tables.h"
#include "hone/base/check.h"

namespace hone {
namespace {

constexpr int kSineBits = 30;
constexpr int kWeightBits = 15;
constexpr int kLogBits = 16;
constexpr int kLogSteps = 64;
constexpr int kSampleBits = 15;  // A sample of 1 is 2^15.
constexpr double kMostLog =
    20;  // More than the logarithm of any band: a spectrum has 31 bits, 8 of them
         // behind the point, and a band some bins.
constexpr double kFullSpectrum = 2147400000;  // Sums of 32 bits, less what roundings add.

int64_t shift_rounded(int64_t value, int bits) {
  return (value + (int64_t{1} << (bits - 1))) >> bits;
}

// The bits behind the point that are left beside numbers up to `largest`.
int bits_below(double largest, double limit) {
  return static_cast<int>(std::floor(std::log2(limit / largest)));
}

std::vector<uint16_t> window_table(const std::vector<double>& window) {
  std::vector<uint16_t> table;
  for (size_t i = 0; i <= window.size() / 2; ++i) {
    table.push_back(static_cast<uint16_t>(std::lround(std::ldexp(window[i], kWeightBits))));
  }
  return table;
}

std::vector<int32_t> sine_table(size_t points) {
  std::vector<int32_t> table;
  for (size_t i = 0; i < points * 3 / 4; ++i) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(points);
    table.push_back(static_cast<int32_t>(std::lround(std::ldexp(std::sin(turn), kSineBits))));
  }
  return table;
}

std::vector<int32_t> log2_table() {
  std::vector<int32_t> table;
  for (int i = 0; i <= kLogSteps; ++i) {
    const double log = std::log2(1 + static_cast<double>(i) / kLogSteps);
    table.push_back(static_cast<int32_t>(std::lround(std::ldexp(log, kLogBits))));
  }
  return table;
}

// Bins from the first to the last that lie in a band.
void add_bands(const MfccOptions& options, FixedMfccTables& tables) {
  for (size_t bin = 0; bin <= tables.points / 2; ++bin) {
    const double hz = options.rate * static_cast<double>(bin) / static_cast<double>(tables.points);
    const double position = band_position(options, hz);
    if (position <= 0 || position >= options.bands + 1) continue;
    if (tables.band.empty()) tables.first_bin = bin;
    const double rising = std::floor(position);
    tables.band.push_back(static_cast<uint8_t>(rising));
    tables.weight.push_back(
        static_cast<uint16_t>(std::lround(std::ldexp(position - rising, kWeightBits))));
  }
}

void add_cosines(const MfccOptions& options, FixedMfccTables& tables) {
  const std::vector<double> rows = cosines(options);
  const double largest = *std::ranges::max_element(rows) * std::numbers::ln2;
  tables.cosine_bits = bits_below(largest, INT16_MAX);
  for (const double value : rows) {
    tables.cosine.push_back(static_cast<int16_t>(
        std::lround(std::ldexp(value * std::numbers::ln2, tables.cosine_bits))));
  }
  tables.coefficient_bits = bits_below(rows[0] * options.bands * kMostLog, INT16_MAX);
}

struct FixedSpectrum {
  std::vector<int32_t> re, im;
};

// Puts element k where k's bits, read backwards, say.
void reverse_order(std::vector<int32_t>& x) {
  for (size_t i = 1, j = 0; i < x.size(); ++i) {
    size_t bit = x.size() / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
}

FixedSpectrum windowed(std::span<const int16_t> samples, const FixedMfccTables& tables) {
  FixedSpectrum x{std::vector<int32_t>(tables.points), std::vector<int32_t>(tables.points)};
  for (size_t i = 0; i < tables.frame; ++i) {
    const int64_t factor = tables.window[std::min(i, tables.frame - i)];
    x.re[i] =
        static_cast<int32_t>(shift_rounded(samples[i] * factor, kWeightBits - tables.sample_bits));
  }
  return x;
}

void fixed_fft(FixedSpectrum& x, const std::vector<int32_t>& sine) {
  const size_t points = x.re.size();
  reverse_order(x.re);
  for (size_t half = 1; half < points; half *= 2) {
    for (size_t k = 0; k < half; ++k) {
      const size_t turn = k * (points / 2 / half);
      const int64_t s = sine[turn], c = sine[turn + points / 4];
      for (size_t i = k, j = k + half; i < points; i += 2 * half, j += 2 * half) {
        const auto re = static_cast<int32_t>(shift_rounded(c * x.re[j] + s * x.im[j], kSineBits));
        const auto im = static_cast<int32_t>(shift_rounded(c * x.im[j] - s * x.re[j], kSineBits));
        x.re[j] = x.re[i] - re;
        x.im[j] = x.im[i] - im;
        x.re[i] += re;
        x.im[i] += im;
      }
    }
  }
}

uint32_t magnitude_of(const FixedSpectrum& x, size_t bin) {
  const int64_t re = x.re[bin], im = x.im[bin];
  return square_root(static_cast<uint64_t>(re * re) + static_cast<uint64_t>(im * im));
}

// With kWeightBits + sample_bits bits behind the point.
std::vector<uint64_t> band_sums(const FixedSpectrum& x, const FixedMfccTables& tables) {
  constexpr uint32_t kOne = 1u << kWeightBits;
  std::vector<uint64_t> sums(tables.bands, tables.floor);
  for (size_t i = 0; i < tables.band.size(); ++i) {
    const uint64_t magnitude = magnitude_of(x, tables.first_bin + i);
    const size_t band = tables.band[i];
    if (band < tables.bands) sums[band] += magnitude * tables.weight[i];
    if (band > 0) sums[band - 1] += magnitude * (kOne - tables.weight[i]);
  }
  return sums;
}

// A row of the cosine transform of logarithms in base 2.
int32_t transformed(std::span<const int32_t> logs, size_t row, const FixedMfccTables& tables) {
  int64_t sum = 0;
  for (size_t band = 0; band < tables.bands; ++band) {
    sum += static_cast<int64_t>(tables.cosine[row * tables.bands + band]) * logs[band];
  }
  return static_cast<int32_t>(
      shift_rounded(sum, tables.cosine_bits + kLogBits - tables.coefficient_bits));
}

}  // namespace

uint32_t square_root(uint64_t x) {
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 62; bit != 0; bit >>= 2) {
    const uint64_t next = root + bit;
    root >>= 1;
    if (x >= next) {
      x -= next;
      root += bit;
    }
  }
  return static_cast<uint32_t>(root);
}

int32_t fixed_log2(uint64_t x, std::span<const int32_t> table) {
  const int zeros = std::countl_zero(x);
  const uint64_t mantissa = x << zeros;  // 1 is bit 63; 6 bits choose a piece, 16 the place in it.
  const size_t piece = mantissa >> 57 & (kLogSteps - 1);
  const auto place = static_cast<int32_t>(mantissa >> 41 & 0xffff);
  const int64_t rise = table[piece + 1] - table[piece];
  return ((63 - zeros) << kLogBits) + table[piece] +
         static_cast<int32_t>(shift_rounded(rise * place, 16));
}

Result<FixedMfcc> FixedMfcc::make(const MfccOptions& options) {
  HONE_TRY(const Mfcc checked, Mfcc::make(options));
  const std::vector<double> window = hann(options.frame);
  double sum = 0;
  for (const double value : window) sum += value;
  FixedMfccTables tables{.frame = window.size(),
                         .points = std::bit_ceil(std::max(window.size(), size_t{4})),
                         .bands = static_cast<size_t>(options.bands),
                         .coefficients = static_cast<size_t>(options.coefficients)};
  tables.sample_bits = std::min(bits_below(std::ldexp(sum, kSampleBits), kFullSpectrum), 14);
  if (tables.sample_bits < 0 || options.bands > UINT8_MAX) {
    return bad_input("frames of ", options.frame, " samples in ", options.bands,
                     " bands, expected at most 131000 in 255");
  }
  tables.floor = static_cast<uint64_t>(std::max(
      1.0, std::round(std::ldexp(options.floor, kSampleBits + kWeightBits + tables.sample_bits))));
  tables.window = window_table(window);
  tables.sine = sine_table(tables.points);
  tables.log2 = log2_table();
  add_bands(options, tables);
  add_cosines(options, tables);
  return FixedMfcc(options, std::move(tables));
}

void FixedMfcc::frame(std::span<const int16_t> samples, std::span<int16_t> row) const {
  HONE_CHECK(samples.size() == tables_.frame && row.size() == tables_.coefficients, "a frame of ",
             samples.size(), " samples for ", row.size(), " coefficients");
  FixedSpectrum spectrum = windowed(samples, tables_);
  fixed_fft(spectrum, tables_.sine);
  const int32_t point = (kWeightBits + tables_.sample_bits) << kLogBits;
  std::vector<int32_t> logs;
  for (const uint64_t sum : band_sums(spectrum, tables_)) {
    logs.push_back(fixed_log2(sum, tables_.log2) - point);
  }
  for (size_t k = 0; k < row.size(); ++k) {
    row[k] = static_cast<int16_t>(
        std::clamp<int32_t>(transformed(logs, k, tables_), INT16_MIN, INT16_MAX));
  }
}

Result<std::vector<float>> FixedMfcc::operator()(std::span<const int16_t> clip) const {
  const auto size = static_cast<size_t>(options_.clip);
  if (clip.size() > size) {
    return bad_input("holds ", clip.size(), " samples, expected at most ", size);
  }
  std::vector<int16_t> samples(clip.begin(), clip.end());
  samples.resize(size);
  const int32_t loudness = level(*std::ranges::max_element(samples));
  std::vector<int16_t> row(tables_.coefficients);
  std::vector<float> result;
  for (int i = 0; i < frames(); ++i) {
    const auto at = static_cast<size_t>(i) * static_cast<size_t>(options_.step);
    frame(std::span(samples).subspan(at, tables_.frame), row);
    for (size_t k = 0; k < row.size(); ++k) {
      const int32_t value = row[k] - (k == 0 ? loudness : 0);
      result.push_back(std::ldexp(static_cast<float>(value), -tables_.coefficient_bits));
    }
  }
  return result;
}

int32_t FixedMfcc::level(int16_t largest) const {
  const auto loudness = static_cast<uint64_t>(largest > 0 ? largest : 1 << kSampleBits);
  return transformed(std::vector<int32_t>(tables_.bands, fixed_log2(loudness, tables_.log2)), 0,
                     tables_);
}

Result<FeatureBytes> FixedMfcc::bytes_for(double scale, int32_t zero_point) const {
  int exponent = 0;
  const double part = std::frexp(std::ldexp(1 / scale, -tables_.coefficient_bits), &exponent);
  FeatureBytes how{.shift = 30 - exponent, .zero_point = zero_point};
  if (!(scale > 0) || how.shift < 1 || how.shift > 62) {
    return bad_input("a scale of ", scale, " is not one of coefficients, expected 1e-6 to 1e6");
  }
  how.multiplier = static_cast<int32_t>(std::lround(std::ldexp(part, 30)));
  return how;
}

void FixedMfcc::to_bytes(std::span<const int16_t> rows, int32_t level, const FeatureBytes& how,
                         std::span<int8_t> bytes) const {
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t value = rows[i] - (i % tables_.coefficients == 0 ? level : 0);
    const int64_t byte = how.zero_point + shift_rounded(value * how.multiplier, how.shift);
    bytes[i] = static_cast<int8_t>(std::clamp<int64_t>(byte, INT8_MIN, INT8_MAX));
  }
}

}  // namespace hone
