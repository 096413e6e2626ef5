#pragma once

#include "hone/tensor/tensor.h"

namespace hone {

template <class T>
struct Tag {
  using type = T;
};

// Calls fn(Tag<T>{}) with the C++ type of `dtype`, one of those listed, and returns what it
// returns:
//   dispatch<float, double>(x.dtype(), [&](auto tag) {
//     using T = typename decltype(tag)::type;
//     ...
//   });
// A type that is not listed is a bug: operators state the types they accept (op_def.h).
template <class First, class... Rest, class Fn>
auto dispatch(DType dtype, Fn&& fn) {
  if (dtype == kDTypeOf<First>) return fn(Tag<First>{});
  if constexpr (sizeof...(Rest) > 0) {
    return dispatch<Rest...>(dtype, std::forward<Fn>(fn));
  } else {
    HONE_CHECK(false, "no case for element type ", dtype);
    return fn(Tag<First>{});
  }
}

template <class Fn>
auto dispatch_float(DType dtype, Fn&& fn) {
  return dispatch<float, double, Half, BFloat16>(dtype, std::forward<Fn>(fn));
}

template <class Fn>
auto dispatch_integer(DType dtype, Fn&& fn) {
  return dispatch<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
      dtype, std::forward<Fn>(fn));
}

template <class Fn>
auto dispatch_numeric(DType dtype, Fn&& fn) {
  return dispatch<float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                  uint16_t, uint32_t, uint64_t>(dtype, std::forward<Fn>(fn));
}

// For code that only moves elements: fn sees an unsigned integer of the element's size, or
// std::string. Read and write through raw<T>, since the type is not the tensor's own.
template <class Fn>
auto dispatch_by_size(DType dtype, Fn&& fn) {
  if (dtype == DType::String) return fn(Tag<std::string>{});
  switch (bits_of(dtype)) {
    case 8:
      return fn(Tag<uint8_t>{});
    case 16:
      return fn(Tag<uint16_t>{});
    case 32:
      return fn(Tag<uint32_t>{});
    case 64:
      return fn(Tag<uint64_t>{});
    default:
      break;
  }
  HONE_CHECK(false, "elements of ", dtype, " are not whole bytes");
  return fn(Tag<uint8_t>{});
}

// The elements of a tensor as T, a type of the same size; for dispatch_by_size.
template <class T>
const T* raw(const Tensor& tensor) {
  if constexpr (std::is_same_v<T, std::string>) {
    return tensor.data<std::string>().data();
  } else {
    return reinterpret_cast<const T*>(tensor.bytes().data());
  }
}

template <class T>
T* mutable_raw(Tensor& tensor) {
  if constexpr (std::is_same_v<T, std::string>) {
    return tensor.mutable_data<std::string>().data();
  } else {
    return reinterpret_cast<T*>(tensor.mutable_bytes().data());
  }
}

// What arithmetic on T is done in: float for the short floats, T otherwise.
template <class T>
struct ComputeType {
  using type = T;
};
template <>
struct ComputeType<Half> {
  using type = float;
};
template <>
struct ComputeType<BFloat16> {
  using type = float;
};
template <class T>
using Compute = typename ComputeType<T>::type;

}  // namespace hone
