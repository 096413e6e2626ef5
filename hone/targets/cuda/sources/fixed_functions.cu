// Of hone/tensor/fixed_functions.h what softmax needs, bit for bit; compiled for the host by a test as
// well. Behind integers.cu.

constexpr int kSumBits = 12;  // Integer bits of a row's sum.

__device__ __forceinline__ int times_fixed(int a, int b) {
  if (a == b && a == (int)0x80000000) return 0x7fffffff;
  return (int)(((i64)a * b + (1ll << 30)) >> 31);
}
__device__ __forceinline__ int doubled_fixed(int x, int bits) {
  const i64 shifted = (i64)x * (1ll << bits);
  return (int)(shifted > 0x7fffffffll    ? 0x7fffffffll
               : shifted < -0x80000000ll ? -0x80000000ll
                                         : shifted);
}

// 1 / (1 + x) for x in [0, 1]: three steps of Newton's method from 48/17 - 32/17 * d.
__device__ __forceinline__ int one_over_one_plus(int x) {
  const i64 sum = (i64)x + 0x7fffffff;
  const int half = (int)((sum + (sum >= 0 ? 1 : -1)) / 2);
  int y = (int)(1515870810u + (u32)times_fixed(half, -1010580540));
  for (int i = 0; i < 3; ++i) {
    const int error = (int)((1u << 29) - (u32)times_fixed(half, y));
    y = (int)((u32)y + (u32)doubled_fixed(times_fixed(y, error), 2));
  }
  return doubled_fixed(y, 1);
}

// What every exponential of a row is multiplied and divided by.
struct SoftmaxScale {
  int reciprocal;
  int shift;
};
__device__ __forceinline__ SoftmaxScale softmax_scale(u32 sum, int result_bits) {
  int headroom = 0;
  while (headroom < 31 && (sum >> (31 - headroom)) == 0u) ++headroom;
  const int above_one = (int)((sum << headroom) - (1u << 31));
  return {one_over_one_plus(above_one), kSumBits - headroom + 31 - result_bits};
}
__device__ __forceinline__ int softmax_of(int exponential, const SoftmaxScale& scale) {
  const int product = times_fixed(scale.reciprocal, exponential);
  if (scale.shift <= 0) return product;
  return scale.shift > 31 ? 0 : divided_by_power(product, scale.shift);
}
