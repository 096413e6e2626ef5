// y(m, n) as in product.cu for few rows m: a warp has one column n of all of them, so w is read once.
//
// Set in front of this text: T; M, N, K; X_PITCH, W_PITCH, Y_PITCH, R_PITCH; VEC; WARPS;
// HAS_BIAS, HAS_RESIDUAL, SCALE; ACTIVATE(v). w is [N, K].

extern "C" __global__ void __launch_bounds__(WARPS * 32)
    vector_product(const T* x, const T* w, const float* bias, const T* residual, T* y, u64* began) {
  const int n = blockIdx.x * WARPS + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  constexpr int kEach = (K + 32 * VEC - 1) / (32 * VEC);
  constexpr int kAhead = kEach < 4 ? kEach : 4;
  Pack<T, VEC> ahead[kAhead];
  if (n < N) {
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      const int k = (i * 32 + lane) * VEC;
      if (k < K) ahead[i] = *(const Pack<T, VEC>*)(w + (i64)n * W_PITCH + k);
    }
  }
  wait_for_earlier(began);
  if (n >= N) return;
  float sums[M] = {};
#pragma unroll 4
  for (int i = 0; i < kEach; ++i) {
    const int k = (i * 32 + lane) * VEC;
    if (k >= K) break;
    Pack<T, VEC> weights;
    if (i < kAhead) {
#pragma unroll
      for (int a = 0; a < kAhead; ++a) {
        if (a == i) weights = ahead[a];
      }
    } else {
      weights = *(const Pack<T, VEC>*)(w + (i64)n * W_PITCH + k);
    }
#pragma unroll
    for (int m = 0; m < M; ++m) {
      const Pack<T, VEC> values = *(const Pack<T, VEC>*)(x + (i64)m * X_PITCH + k);
#pragma unroll
      for (int v = 0; v < VEC; ++v) sums[m] += to_float(values.at[v]) * to_float(weights.at[v]);
    }
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
    float value = sums[m] * SCALE;
    if (HAS_BIAS) value += bias[n];
    if (HAS_RESIDUAL) value += to_float(residual[(i64)m * R_PITCH + n]);
    y[(i64)m * Y_PITCH + n] = from_float<T>(ACTIVATE(value));
  }
}
