// How sums of quantized values become values of another scale, bit for bit as
// hone/tensor/fixed_point.h has it; a test compiles this text for the host and compares the two.
//
// Set in front of this text: ROUNDING, as the enumeration Rounding counts.

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;

// The high half of the doubled product, ties upward. `b` is not negative.
__device__ __forceinline__ int doubled_high(int a, int b) {
  return (int)(((i64)a * b + (1ll << 30)) >> 31);
}
// x / 2^exponent, ties away from zero, for exponents of 0 to 31.
__device__ __forceinline__ int divided_by_power(int x, int exponent) {
  const u32 mask = (1u << exponent) - 1u;
  const u32 half = (mask >> 1) + (x < 0 ? 1u : 0u);
  return (x >> exponent) + (((u32)x & mask) > half ? 1 : 0);
}

// x * multiplier * 2^(shift - 31), for shifts of -31 to 30 and multipliers that are not negative.
__device__ __forceinline__ int scaled_by(int x, int multiplier, int shift) {
#if ROUNDING == 1
  return (int)(((i64)x * multiplier + (1ll << (30 - shift))) >> (31 - shift));
#else
  const int left = shift > 0 ? shift : 0;
  const int right = shift > 0 ? 0 : -shift;
  const int high = doubled_high((int)((u32)x << left), multiplier);
#if ROUNDING == 0
  return divided_by_power(high, right);
#else
  return right == 0 ? high : (int)(((i64)high + (1ll << (right - 1))) >> right);
#endif
#endif
}

// The same for shifts of -31 to -1, where the high half of the product is enough.
__device__ __forceinline__ int scaled_down_by(int x, int multiplier, int shift) {
#if ROUNDING == 1
  return (int)(((i64)x * multiplier + (1ll << (30 - shift))) >> 32) >> (-1 - shift);
#else
  const int high = doubled_high(x, multiplier);
#if ROUNDING == 0
  return divided_by_power(high, -shift);
#else
  return (int)(((i64)high + (1ll << (-shift - 1))) >> -shift);
#endif
#endif
}

// x + zero within [low, high].
__device__ __forceinline__ int placed(int x, int zero, int low, int high) {
  x = x < low - zero ? low - zero : x;
  return (x > high - zero ? high - zero : x) + zero;
}

// Of two quantized values less their zero points, with more bits than they were stored with.
__device__ __forceinline__ int sum_of(int a, int a_multiplier, int a_shift, int b, int b_multiplier,
                                      int b_shift, int y_multiplier, int y_shift) {
  const int left = scaled_by(a, a_multiplier, a_shift);
  const int right = scaled_by(b, b_multiplier, b_shift);
  return scaled_by((int)((u32)left + (u32)right), y_multiplier, y_shift);
}
__device__ __forceinline__ int difference_of(int a, int a_multiplier, int a_shift, int b,
                                             int b_multiplier, int b_shift, int y_multiplier,
                                             int y_shift) {
  const int left = scaled_by(a, a_multiplier, a_shift);
  const int right = scaled_by(b, b_multiplier, b_shift);
  return scaled_by((int)((u32)left - (u32)right), y_multiplier, y_shift);
}
__device__ __forceinline__ int product_of(int a, int b) {
  return (int)((u32)a * (u32)b);
}

// Steps of a scale, rounded already; beyond 2^24 nothing but `placed` can follow, whatever the zero
// point. What is no number counts as none.
__device__ __forceinline__ int whole_steps(float rounded) {
  if (rounded != rounded) return 0;
  return (int)(rounded < -16777216.0f  ? -16777216.0f
               : rounded > 16777216.0f ? 16777216.0f
                                       : rounded);
}

// One element that stands for each of several.
template <class E>
struct Same {
  struct {
    E one;
    __device__ __forceinline__ E operator[](int) const { return one; }
  } at;
};
