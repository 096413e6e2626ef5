// The front end in integers as C: no heap, no floats, nothing of the C library.
#pragma once

#include <string>

#include "hone/audio/fixed_mfcc.h"

namespace hone {

// A header of C11: tables as constants, and functions that give what FixedMfcc does, bit for bit.
std::string mfcc_c(const FixedMfcc& mfcc, const FeatureBytes& bytes);

}  // namespace hone
