// The front end of mfcc.h in integers: what firmware without floating point computes, bit for bit. 16-bit
// samples become rows of 16-bit coefficients, and those the int8 inputs of a network.
//
// Every step is exact integer arithmetic, with shifts that round to nearest, halves up:
//   window      Q15 by the sample, `sample_bits` bits kept behind the point
//   transform   radix 2 in 32 bits, which no sum can leave; factors Q30, products of 64 bits
//   magnitude   the whole part of the square root of 64 bits
//   bands       Q15 weights, sums of 64 bits, and the floor
//   logarithm   base 2 in Q16, straight between 65 points
//   cosines     16 bits, sums of 64; rows have `coefficient_bits` bits behind the point
//
// The front end in floats divides a clip by its largest sample. A stream has no clip: the samples that a
// network looks at take its place. Loudness is a factor, of which the logarithm makes a sum and the cosine transform
// a constant in coefficient 0: rows are made of samples as they are, and `level` is taken off when they are
// handed to a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hone/audio/mfcc.h"

namespace hone {

// All that the recipe needs; firmware has the same tables.
struct FixedMfccTables {
  size_t frame = 0;   // Samples.
  size_t points = 0;  // Of the transform.
  size_t bands = 0;
  size_t coefficients = 0;
  int sample_bits = 0;
  int cosine_bits = 0;
  int coefficient_bits = 0;
  uint64_t floor = 0;                 // Added to a band: the options' of samples at full scale.
  size_t first_bin = 0;               // The first that a band reaches.
  std::vector<uint16_t> window = {};  // [frame / 2 + 1], Q15; the other half mirrors it.
  std::vector<int32_t> sine = {};     // [points * 3 / 4], Q30: a cosine lies a quarter further on.
  std::vector<uint8_t> band =
      {};  // Of each bin from first_bin: the one that rises there; the one before falls.
  std::vector<uint16_t> weight =
      {};  // Of the bin in that band, Q15; the rest of 1 is the falling band's.
  std::vector<int32_t> log2 = {};    // [65], Q16: of 1, 1 + 1/64, .. 2.
  std::vector<int16_t> cosine = {};  // [coefficients, bands], with the step from log2 to ln.
};

// How coefficients become the bytes of a network's input.
struct FeatureBytes {
  int32_t multiplier = 0;
  int shift = 0;
  int32_t zero_point = 0;
};

class FixedMfcc {
 public:
  // BadInput as Mfcc::make says it, and for frames that 32 bits cannot hold the spectrum of.
  static Result<FixedMfcc> make(const MfccOptions& options = {});

  const MfccOptions& options() const { return options_; }
  const FixedMfccTables& tables() const { return tables_; }
  int frames() const { return (options_.clip - options_.frame) / options_.step + 1; }

  // What Mfcc makes of the clip, by integers: frames() rows, its own loudness taken off.
  Result<std::vector<float>> operator()(std::span<const int16_t> clip) const;

  // The coefficients of options.frame samples, as loud as they are.
  void frame(std::span<const int16_t> samples, std::span<int16_t> row) const;

  // What samples of this loudness add to coefficient 0; of none above zero it is full scale's, as in floats.
  int32_t level(int16_t largest) const;

  // Of a network whose input means (byte - zero_point) * scale. BadInput for a scale that no coefficients have.
  Result<FeatureBytes> bytes_for(double scale, int32_t zero_point) const;

  // Rows as a network takes them, the loudness `level` taken off.
  void to_bytes(std::span<const int16_t> rows, int32_t level, const FeatureBytes& how,
                std::span<int8_t> bytes) const;

 private:
  FixedMfcc(const MfccOptions& options, FixedMfccTables tables)
      : options_(options), tables_(std::move(tables)) {}

  MfccOptions options_;
  FixedMfccTables tables_;
};

// log2(x) in Q16 for x >= 1, by the table of FixedMfccTables.
int32_t fixed_log2(uint64_t x, std::span<const int32_t> table);

// The whole part of the square root.
uint32_t square_root(uint64_t x);

}  // namespace hone
