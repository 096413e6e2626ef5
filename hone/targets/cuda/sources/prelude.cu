// What all kernels share. No header is included: NVRTC alone has to do.
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// Floating-point elements of 16 bits are kept in types of their own and computed with as float.
struct Half {
  u16 bits;
};
struct Bfloat {
  u16 bits;
};
__device__ __forceinline__ float to_float(float x) {
  return x;
}
__device__ __forceinline__ float to_float(Half x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
  return y;
}
__device__ __forceinline__ float to_float(Bfloat x) {
  return __uint_as_float((u32)x.bits << 16);
}
template <class T>
__device__ __forceinline__ T from_float(float x);
template <>
__device__ __forceinline__ float from_float<float>(float x) {
  return x;
}
template <>
__device__ __forceinline__ Half from_float<Half>(float x) {
  Half y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
}
template <>
__device__ __forceinline__ Bfloat from_float<Bfloat>(float x) {
  // To the nearest, ties to even; what is no number stays none.
  u32 bits = __float_as_uint(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {(u16)((bits >> 16) | 0x40u)};
  return {(u16)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

// N elements that are loaded and stored in one piece.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T at[N];
};

// A kernel may be launched before those in front of it have ended: what they write is read only
// behind `wait_for_earlier`, and every kernel calls it. The next one may be launched from then on:
// kernels that only wait would take room from those that run. With LAUNCH_EARLY it may be before, so
// that weights which come from memory are on their way for longer. When the turn of this one came is
// written to `began`, in ns, where that is not null; the one before it has ended then.
__device__ __forceinline__ void wait_for_earlier(u64* began) {
#if __CUDA_ARCH__ >= 900
#ifdef LAUNCH_EARLY
  asm volatile("griddepcontrol.launch_dependents;\ngriddepcontrol.wait;" ::: "memory");
#else
  asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
#endif
#endif
  if (began != nullptr && (threadIdx.x | blockIdx.x | blockIdx.y | blockIdx.z) == 0) {
    u64 now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    *began = now;
  }
}

__device__ __forceinline__ float sigmoid(float x) {
  return 1.0f / (1.0f + expf(-x));
}
__device__ __forceinline__ float gelu(float x) {
  return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f));
}
__device__ __forceinline__ float gelu_tanh(float x) {
  return 0.5f * x * (1.0f + tanhf(0.79788456080286536f * (x + 0.044715f * x * x * x)));
}
__device__ __forceinline__ float silu(float x) {
  return x / (1.0f + expf(-x));
}
__device__ __forceinline__ float leaky_relu(float x, float alpha) {
  return x < 0.0f ? alpha * x : x;
}
// As min(max(x, low), high) of the reference: what is no number stays none.
__device__ __forceinline__ float clamp(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}
__device__ __forceinline__ float hard_swish(float x) {
  return x * clamp(x * (1.0f / 6.0f) + 0.5f, 0.0f, 1.0f);
}
// As the reference: of a number and none, none is the result.
__device__ __forceinline__ float larger(float a, float b) {
  return a != a || a > b ? a : b;
}
__device__ __forceinline__ float smaller(float a, float b) {
  return a != a || a < b ? a : b;
}
__device__ __forceinline__ float squared(float x) {
  return x * x;
}
