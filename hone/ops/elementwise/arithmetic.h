// Arithmetic on one pair of elements, without undefined behaviour for any values: integers wrap,
// short floats are computed in float and rounded once, and NaN wins over every number.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "hone/tensor/dispatch.h"

namespace hone {

template <class T>
inline constexpr bool kIsInteger = std::is_integral_v<T>;

template <class T>
T add(T a, T b) {
  if constexpr (kIsInteger<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return T(Compute<T>(a) + Compute<T>(b));
  }
}

template <class T>
T subtract(T a, T b) {
  if constexpr (kIsInteger<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  } else {
    return T(Compute<T>(a) - Compute<T>(b));
  }
}

template <class T>
T multiply(T a, T b) {
  if constexpr (kIsInteger<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return T(Compute<T>(a) * Compute<T>(b));
  }
}

// Integers are cut towards zero. Requires b != 0 for them.
template <class T>
T divide(T a, T b) {
  if constexpr (kIsInteger<T>) {
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return subtract(T(0), a);
    }
    return static_cast<T>(a / b);
  } else {
    return T(Compute<T>(a) / Compute<T>(b));
  }
}

template <class T>
bool is_nan(T x) {
  if constexpr (kIsInteger<T>) {
    return false;
  } else {
    return std::isnan(Compute<T>(x));
  }
}

template <class T>
T maximum(T a, T b) {
  return is_nan(a) || !(is_nan(b) || b > a) ? a : b;
}

template <class T>
T minimum(T a, T b) {
  return is_nan(a) || !(is_nan(b) || b < a) ? a : b;
}

// The nearest T to `x` cut towards zero; 0 for NaN.
template <class T>
T saturate_to(double x) {
  static_assert(kIsInteger<T>);
  constexpr double kLow = static_cast<double>(std::numeric_limits<T>::min());
  // The first value above the range: exact, since it is a power of two.
  constexpr double kEnd = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;
  if (std::isnan(x)) return 0;
  if (x <= kLow) return std::numeric_limits<T>::min();
  if (x >= kEnd) return std::numeric_limits<T>::max();
  return static_cast<T>(x);
}

}  // namespace hone
