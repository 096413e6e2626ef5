// y(m, n) as in product_i8.cu for few rows m: a warp has one column n of all of them, so w is read
// once. Behind integers.cu, bytes.cu and finish.cu.
//
// Set in front of this text, besides what those take: M, N, K; X_PITCH, W_PITCH, Y_PITCH; VEC: words
// of four bytes that are loaded at once; WARPS.

constexpr int kWords = (K + 3) / 4;
constexpr int kEach = (kWords + 32 * VEC - 1) / (32 * VEC);
constexpr int kAhead = kEach < 4 ? kEach : 4;

extern "C" __global__ void __launch_bounds__(WARPS * 32)
    vector_product_i8(const X* x, const i8* w, const int* finish, Y* y TAIL_PARAMS, u64* began) {
  const int n = blockIdx.x * WARPS + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  typedef Pack<u32, VEC> Words;
  const i8* column = w + (i64)n * W_PITCH;
  Words ahead[kAhead];
  if (n < N) {
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      const int k = (i * 32 + lane) * VEC;
      if (k < kWords) ahead[i] = *(const Words*)(column + 4 * k);
    }
  }
  const int bias = n < N ? finish[n] : 0;
  const int multiplier = n < N ? finish[FINISH_PITCH + n] : 0;
  const int shift = n < N ? finish[2 * FINISH_PITCH + n] : 0;
  wait_for_earlier(began);
  if (n >= N) return;
  int sums[M] = {};
  const auto add = [&](int k, const Words& weights) {
#pragma unroll
    for (int m = 0; m < M; ++m) {
      const Words values = *(const Words*)(x + (i64)m * X_PITCH + 4 * k);
#pragma unroll
      for (int v = 0; v < VEC; ++v) sums[m] = add_products(sums[m], values.at[v], weights.at[v]);
    }
  };
#pragma unroll
  for (int i = 0; i < kAhead; ++i) {
    const int k = (i * 32 + lane) * VEC;
    if (k < kWords) add(k, ahead[i]);
  }
#pragma unroll 4
  for (int i = kAhead; i < kEach; ++i) {
    const int k = (i * 32 + lane) * VEC;
    if (k < kWords) add(k, *(const Words*)(column + 4 * k));
  }
#pragma unroll
  for (int m = 0; m < M; ++m) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
      sums[m] += __shfl_xor_sync(0xffffffffu, sums[m], offset);
    }
  }
  if (lane != 0) return;
#pragma unroll
  for (int m = 0; m < M; ++m) {
    const int v = finished(sums[m], bias, multiplier, shift);
    const i64 at = (i64)m * Y_PITCH + n;
    TAIL_LOADS(at)
    y[at] = (Y)(TAIL(v, 0));
  }
}
