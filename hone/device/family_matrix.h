// Vectors and symmetric matrices over the families of kernels. Written here: a dozen rows need a
// page of code, and a library of linear algebra would be a dependency for that page alone.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace hone {

// What a network asks of a device, in the order of FamilyWork. Layers that a library runs through
// the same code, at about the same speed, are one family; it is counted in multiply-adds.
inline constexpr std::string_view kKernelFamilies[] = {
    "pointwise",  // 1x1 convolutions.
    "window",     // 3x3 convolutions in steps of 1: what Winograd's form can save work on.
    "dense",      // Other convolutions of all channels.
    "grouped",    // Convolutions of groups of channels.
    "depthwise",  // Of each channel alone.
    "matmul",     // Products of many rows with constants.
    "linear",     // Of a few rows.
    "attention",  // Products of two computed matrices.
    // Counted in elements.
    "pass",      // Read and written by steps that multiply nothing.
    "move",      // Read and written by those that do.
    "weights",   // Of those.
    "function",  // Results of functions that are more than a comparison: sigmoid, swish, softmax.
    // Counted.
    "step",  // To begin one.
    "run",   // To begin the whole.
};
inline constexpr size_t kFamilyCount = std::size(kKernelFamilies);
// Where an entry of the list stands. Requires that there is such.
constexpr size_t family_index(std::string_view name) {
  size_t i = 0;
  while (kKernelFamilies[i] != name) ++i;
  return i;
}

using FamilyWork = std::array<double, kFamilyCount>;
using FamilyMatrix = std::array<FamilyWork, kFamilyCount>;

FamilyMatrix diagonal(double value);
FamilyMatrix sum(const FamilyMatrix& a, const FamilyMatrix& b);
FamilyMatrix scaled(const FamilyMatrix& a, double factor);
// a += factor * v * v'.
void add_square(FamilyMatrix& a, const FamilyWork& v, double factor);
FamilyWork product(const FamilyMatrix& a, const FamilyWork& v);
double dot(const FamilyWork& a, const FamilyWork& b);
FamilyWork minus(const FamilyWork& a, const FamilyWork& b);
bool positive_definite(const FamilyMatrix& a);
// Of a positive definite matrix, as covariances are; of the nearest such where rounding left one that
// is not. Requires finite numbers.
FamilyMatrix inverse(const FamilyMatrix& a);

}  // namespace hone
