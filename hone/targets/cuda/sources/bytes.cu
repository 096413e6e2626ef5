// Products of bytes, four at a time: those of x as X_UNSIGNED says, those of w signed. Behind
// integers.cu.
//
// Set in front of this text: X_UNSIGNED.

#if X_UNSIGNED
typedef u8 X;
#else
typedef i8 X;
#endif

__device__ __forceinline__ int add_products(int sum, u32 x, u32 w) {
#if X_UNSIGNED
  asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(x), "r"(w));
#else
  asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(x), "r"(w));
#endif
  return sum;
}
