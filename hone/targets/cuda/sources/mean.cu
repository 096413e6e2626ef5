// Means over the pixels of nhwc images: a block has LANES packs of channels of one image, and its
// ROWS threads for each share the pixels.
//
// Set in front of this text: T; PIXELS, CHANNELS; VEC, LANES, ROWS.

constexpr int kPacks = CHANNELS / VEC;

extern "C" __global__ void __launch_bounds__(LANES* ROWS) mean(const T* x, T* y, u64* began) {
  __shared__ float sums[ROWS][LANES * VEC];
  wait_for_earlier(began);
  const int lane = threadIdx.x % LANES;
  const int row = threadIdx.x / LANES;
  const int pack = blockIdx.x * LANES + lane;
  const T* from = x + (i64)blockIdx.y * PIXELS * CHANNELS + pack * VEC;
  float sum[VEC] = {};
  if (pack < kPacks) {
#pragma unroll 4
    for (int pixel = row; pixel < PIXELS; pixel += ROWS) {
      const Pack<T, VEC> values = *(const Pack<T, VEC>*)(from + (i64)pixel * CHANNELS);
#pragma unroll
      for (int v = 0; v < VEC; ++v) sum[v] += to_float(values.at[v]);
    }
  }
#pragma unroll
  for (int v = 0; v < VEC; ++v) sums[row][lane * VEC + v] = sum[v];
  __syncthreads();
  for (int c = threadIdx.x; c < LANES * VEC; c += LANES * ROWS) {
    const int channel = blockIdx.x * LANES * VEC + c;
    if (channel >= CHANNELS) break;
    float all = 0.0f;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) all += sums[r][c];
    y[(i64)blockIdx.y * CHANNELS + channel] = from_float<T>(all / (float)PIXELS);
  }
}
