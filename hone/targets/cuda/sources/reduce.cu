// Of every group of elements one: sums, products, extremes, or where an extreme is. A block has OUTS
// groups, and PARTS threads for each share its elements.
//
// Set in front of this text: T, Y; GROUPS; DEPTH: elements of a group; OUTS, PARTS; OUTS_FIRST:
// threads side by side have groups side by side, and not elements of one; `kept_at` and `reduced_at`:
// where a group begins, and how far on its elements are. Then either FIRST, STEP(a, v), JOIN(a, b),
// LAST(a), or ARG with BEATS(a, b) of two values and LAST_INDEX: of equals the last is taken.

#ifdef ARG
struct Part {
  float value;
  int index;  // Of none, behind all others.
};
// What is no number is beyond all that are.
__device__ __forceinline__ Part joined(Part a, Part b) {
  const bool a_none = a.value != a.value;
  const bool b_none = b.value != b.value;
  if (a.index < 0) return b;
  if (b.index < 0) return a;
  if (a_none != b_none) return a_none ? a : b;
  if (!a_none && a.value != b.value) return BEATS(a.value, b.value) ? a : b;
  return (LAST_INDEX ? a.index > b.index : a.index < b.index) ? a : b;
}
__device__ __forceinline__ Part first_part() {
  return {0.0f, -1};
}
__device__ __forceinline__ Part stepped(Part a, float value, int index) {
  return joined(a, {value, index});
}
__device__ __forceinline__ Y result_of(Part a) {
  return (Y)a.index;
}
#else
using Part = float;
__device__ __forceinline__ Part joined(Part a, Part b) {
  return JOIN(a, b);
}
__device__ __forceinline__ Part first_part() {
  return FIRST;
}
__device__ __forceinline__ Part stepped(Part a, float value, int) {
  return STEP(a, value);
}
__device__ __forceinline__ Y result_of(Part a) {
  return from_float<Y>(LAST(a));
}
#endif

extern "C" __global__ void __launch_bounds__(OUTS* PARTS) reduce(const T* x, Y* y, u64* began) {
  __shared__ Part parts[PARTS][OUTS];
  wait_for_earlier(began);
  const int lane = OUTS_FIRST ? threadIdx.x % OUTS : threadIdx.x / PARTS;
  const int part = OUTS_FIRST ? threadIdx.x / OUTS : threadIdx.x % PARTS;
  const int group = blockIdx.x * OUTS + lane;
  Part all = first_part();
  if (group < GROUPS) {
    const T* from = x + kept_at(group);
#pragma unroll 4
    for (int i = part; i < DEPTH; i += PARTS) {
      all = stepped(all, to_float(from[reduced_at(i)]), i);
    }
  }
  if (PARTS > 1) {
    parts[part][lane] = all;
#pragma unroll
    for (int left = PARTS / 2; left > 0; left /= 2) {
      __syncthreads();
      if (part < left) {
        all = joined(all, parts[part + left][lane]);
        parts[part][lane] = all;
      }
    }
  }
  if (part == 0 && group < GROUPS) y[group] = result_of(all);
}
