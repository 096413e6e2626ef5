// What becomes of the sums of a quantized product: the bias, the factor of the column, the output's
// range, and then the element-wise operators that follow (TAIL). Behind integers.cu.
//
// Set in front of this text: FINISH_PITCH: columns of `finish`, which holds biases, multipliers and
// shifts; Y_ZERO, Y_LOW, Y_HIGH; TAIL_PARAMS: further parameters of the kernel; PIECE: elements that
// are stored at once; TAIL_LOADS(at): what the tail takes of those at `at`; TAIL(v, j): the j-th of
// them; Y: the type of results.

// Of four columns that lie side by side.
struct Finish {
  int4 biases, multipliers, shifts;
};
__device__ __forceinline__ Finish finish_of(const int* finish, int n) {
  return {*(const int4*)(finish + n), *(const int4*)(finish + FINISH_PITCH + n),
          *(const int4*)(finish + 2 * FINISH_PITCH + n)};
}

__device__ __forceinline__ int finished(int sum, int bias, int multiplier, int shift) {
  return placed(scaled_by((int)((u32)sum + (u32)bias), multiplier, shift), Y_ZERO, Y_LOW, Y_HIGH);
}
__device__ __forceinline__ int4 finished(int4 sums, const Finish& f) {
  return make_int4(finished(sums.x, f.biases.x, f.multipliers.x, f.shifts.x),
                   finished(sums.y, f.biases.y, f.multipliers.y, f.shifts.y),
                   finished(sums.z, f.biases.z, f.multipliers.z, f.shifts.z),
                   finished(sums.w, f.biases.w, f.multipliers.w, f.shifts.w));
}
