#pragma once

#include <cstdint>

#include "hone/tensor/dispatch.h"

namespace hone {

// Mean and (population) variance of n elements in a row, in two passes.
struct Moments {
  double mean = 0;
  double var = 0;
};

template <class T>
Moments moments_of(const T* x, int64_t n) {
  Moments result;
  for (int64_t i = 0; i < n; ++i) result.mean += Compute<T>(x[i]);
  result.mean /= static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) {
    const double distance = Compute<T>(x[i]) - result.mean;
    result.var += distance * distance;
  }
  result.var /= static_cast<double>(n);
  return result;
}

}  // namespace hone
