// What becomes of the sums of a quantized product: the bias, the factor of the column, the output's
// range, and then the element-wise operators that follow (TAIL). Behind integers.cu.
//
// Set in front of this text: FINISH_PITCH: columns of `finish`, which holds biases, multipliers and
// shifts; FINISH_DOWN: whether all shifts are below 0; Y_ZERO, Y_LOW, Y_HIGH; TAIL_PARAMS: further parameters of the kernel; PIECE: elements that
// are stored at once; TAIL_LOADS(at): what the tail takes of those at `at`; TAIL_AHEAD(at) fetches
// that ahead; TAIL(v, j): the j-th of them; Y: the type of results.

// Into the cache of the multiprocessor, for a load that follows.
__device__ __forceinline__ void fetch(const void* p) {
  asm volatile("prefetch.global.L1 [%0];" ::"l"(p));
}

// Of four columns that lie side by side.
struct Finish {
  int4 biases, multipliers, shifts;
};
__device__ __forceinline__ Finish finish_of(const int* finish, int n) {
  return {*(const int4*)(finish + n), *(const int4*)(finish + FINISH_PITCH + n),
          *(const int4*)(finish + 2 * FINISH_PITCH + n)};
}

__device__ __forceinline__ int finished(int sum, int bias, int multiplier, int shift) {
  const int whole = (int)((u32)sum + (u32)bias);
  const int scaled =
      FINISH_DOWN ? scaled_down_by(whole, multiplier, shift) : scaled_by(whole, multiplier, shift);
  return placed(scaled, Y_ZERO, Y_LOW, Y_HIGH);
}
__device__ __forceinline__ int4 finished(int4 sums, const Finish& f) {
  return make_int4(finished(sums.x, f.biases.x, f.multipliers.x, f.shifts.x),
                   finished(sums.y, f.biases.y, f.multipliers.y, f.shifts.y),
                   finished(sums.z, f.biases.z, f.multipliers.z, f.shifts.z),
                   finished(sums.w, f.biases.w, f.multipliers.w, f.shifts.w));
}
