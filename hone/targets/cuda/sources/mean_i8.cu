// Means of quantized values, x being [outer][COUNT][INNER], of which the middle goes: a block has
// LANES packs of one outer, and its ROWS threads for each share the values. Behind integers.cu.
//
// Set in front of this text: T; COUNT, INNER; OFFSET: COUNT times the zero point of x; MULTIPLIER,
// SHIFT; ZERO, LOW, HIGH of y; VEC, LANES, ROWS.

constexpr int kPacks = INNER / VEC;

extern "C" __global__ void __launch_bounds__(LANES* ROWS) mean_i8(const T* x, T* y, u64* began) {
  __shared__ int sums[ROWS][LANES * VEC];
  wait_for_earlier(began);
  const int lane = threadIdx.x % LANES;
  const int row = threadIdx.x / LANES;
  const int pack = blockIdx.x * LANES + lane;
  const T* from = x + (i64)blockIdx.y * COUNT * INNER + pack * VEC;
  int sum[VEC] = {};
  if (pack < kPacks) {
#pragma unroll 4
    for (int i = row; i < COUNT; i += ROWS) {
      const Pack<T, VEC> values = *(const Pack<T, VEC>*)(from + (i64)i * INNER);
#pragma unroll
      for (int v = 0; v < VEC; ++v) sum[v] += (int)values.at[v];
    }
  }
#pragma unroll
  for (int v = 0; v < VEC; ++v) sums[row][lane * VEC + v] = sum[v];
  __syncthreads();
  for (int c = threadIdx.x; c < LANES * VEC; c += LANES * ROWS) {
    const int column = blockIdx.x * LANES * VEC + c;
    if (column >= INNER) break;
    int all = 0;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) all += sums[r][c];
    const int scaled = scaled_by((int)((u32)all - (u32)(OFFSET)), MULTIPLIER, SHIFT);
    y[(i64)blockIdx.y * INNER + column] = (T)placed(scaled, ZERO, LOW, HIGH);
  }
}
