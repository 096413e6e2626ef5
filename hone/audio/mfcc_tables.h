// What both front ends, in floats and in integers, are made of.
#pragma once

#include <vector>

#include "hone/audio/mfcc.h"

namespace hone {

// Hann's window that repeats after `n` samples: its first is 0, its last is not.
std::vector<double> hann(int n);

// Where a frequency lies among the bands: 0 where the first begins, 1 in its middle, 2 in the middle of the
// next, bands + 1 where the last one ends.
double band_position(const MfccOptions& options, double hz);

// [coefficients, bands]: DCT-II times sqrt(2 / bands) in every row: HTK's form, which is orthonormal but for
// row 0.
std::vector<double> cosines(const MfccOptions& options);

}  // namespace hone
