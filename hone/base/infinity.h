#pragma once

#include <limits>

namespace hone {

template <class T>
inline constexpr T kInfinity = std::numeric_limits<T>::infinity();

}  // namespace hone
