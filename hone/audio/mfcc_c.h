// The front end in integers as C: no heap, no floats, nothing of the C library.
#pragma once

#include <string>

#include "hone/audio/fixed_mfcc.h"

namespace hone {

// What the transform is computed by.
enum class MfccUnit {
  Words,
  Vectors,  // Those of hone_kernels.h, which lies in network/ beside the header.
};

// Whether there is a transform by vectors for these tables.
bool has_mfcc_vectors(const FixedMfccTables& tables);

// A header of C11: tables as constants, and functions that give what FixedMfcc does, bit for bit.
std::string mfcc_c(const FixedMfcc& mfcc, const FeatureBytes& bytes,
                   MfccUnit unit = MfccUnit::Words);

// Of the tables, and of the memory to work in.
size_t mfcc_table_bytes(const FixedMfccTables& tables, MfccUnit unit);
size_t mfcc_work_bytes(const FixedMfccTables& tables, MfccUnit unit);

}  // namespace hone
