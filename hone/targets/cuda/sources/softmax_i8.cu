// Softmax of rows of bytes as hone/ops/softmax/softmax_quantized.cc has it: differences to the largest
// take 256 values, so their exponentials are a table. A block has a row. Behind integers.cu and
// fixed_functions.cu.
//
// Set in front of this text: T, Y; COLUMNS; BLOCK; LOW, HIGH of y.

// All of the block get what `join` makes of their values.
template <class V, class Join>
__device__ __forceinline__ V of_block(V value, V* parts, const Join& join) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    value = join(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = parts[0];
#pragma unroll
  for (int i = 1; i < BLOCK / 32; ++i) value = join(value, parts[i]);
  return value;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    softmax_i8(const T* x, const int* exponentials, Y* y, u64* began) {
  __shared__ int largest_of[BLOCK / 32];
  __shared__ u32 sums_of[BLOCK / 32];
  wait_for_earlier(began);
  x += (i64)blockIdx.x * COLUMNS;
  y += (i64)blockIdx.x * COLUMNS;
  int largest = -32768;
  for (int c = threadIdx.x; c < COLUMNS; c += BLOCK) largest = x[c] > largest ? x[c] : largest;
  largest = of_block(largest, largest_of, [](int a, int b) { return a > b ? a : b; });
  u32 sum = 0;
  for (int c = threadIdx.x; c < COLUMNS; c += BLOCK) {
    sum += (u32)divided_by_power(exponentials[largest - x[c]], kSumBits);
  }
  sum = of_block(sum, sums_of, [](u32 a, u32 b) { return a + b; });
  const SoftmaxScale scale = softmax_scale(sum, 8 * (int)sizeof(Y));
  for (int c = threadIdx.x; c < COLUMNS; c += BLOCK) {
    y[c] = (Y)placed(softmax_of(exponentials[largest - x[c]], scale), LOW, LOW, HIGH);
  }
}
