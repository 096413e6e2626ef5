// y(m, n) = activate(sum over k of x(m, k) * w(n, k) + bias(n) + residual(m, n)) in fp32 arithmetic,
// for every kind of element and every number of groups. Tiles of 64 x 64 results; a thread has 4 x 4.
//
// Set in front of this text: T; M, N, K (of one group); GROUPS; X_PITCH, Y_PITCH, R_PITCH; CONV and
// its geometry as in product.cu, where CHANNELS are those of a group; W_K, W_N: how far apart the
// elements of w are along k and n; W_GROUP along groups; BATCHED with X_STEP, W_STEP, Y_STEP;
// HAS_BIAS, HAS_RESIDUAL, SCALE; ACTIVATE(v). The grid's z counts groups, or batches.

constexpr int kTile = 64;
constexpr int kDepth = 16;

extern "C" __global__ void __launch_bounds__(256)
    plain_product(const T* x, const T* w, const float* bias, const T* residual, T* y, u64* began) {
  __shared__ float xs[kDepth][kTile + 4];
  __shared__ float ws[kDepth][kTile + 4];
  wait_for_earlier(began);
  const int group = GROUPS > 1 ? (int)blockIdx.z : 0;
#if BATCHED
  x += (i64)blockIdx.z * X_STEP;
  w += (i64)blockIdx.z * W_STEP;
  y += (i64)blockIdx.z * Y_STEP;
#endif
  w += (i64)group * W_GROUP;
  const int first_m = blockIdx.x * kTile;
  const int first_n = blockIdx.y * kTile;
  const int tx = threadIdx.x % 16;
  const int ty = threadIdx.x / 16;
  float sums[4][4] = {};
  for (int step = 0; step < K; step += kDepth) {
    for (int i = threadIdx.x; i < kTile * kDepth; i += 256) {
      const int r = i / kDepth;
      const int k = step + i % kDepth;
      const int m = first_m + r;
      float value = 0.0f;
      if (m < M && k < K) {
#if CONV
        const int image = m / (OUT_HEIGHT * OUT_WIDTH);
        const int pixel = m % (OUT_HEIGHT * OUT_WIDTH);
        const int tap = k / CHANNELS;
        const int h = pixel / OUT_WIDTH * STRIDE_H - PAD_H + tap / KERNEL_W * DILATION_H;
        const int c = pixel % OUT_WIDTH * STRIDE_W - PAD_W + tap % KERNEL_W * DILATION_W;
        if ((u32)h < (u32)HEIGHT && (u32)c < (u32)WIDTH) {
          value = to_float(x[((i64)(image * HEIGHT + h) * WIDTH + c) * X_PITCH + group * CHANNELS +
                             k % CHANNELS]);
        }
#else
        value = to_float(x[(i64)m * X_PITCH + k]);
#endif
      }
      xs[i % kDepth][r] = value;
    }
    for (int i = threadIdx.x; i < kTile * kDepth; i += 256) {
      const int r = W_K == 1 ? i / kDepth : i % kTile;
      const int d = W_K == 1 ? i % kDepth : i / kTile;
      const int n = first_n + r;
      const int k = step + d;
      ws[d][r] = n < N && k < K ? to_float(w[(i64)n * W_N + (i64)k * W_K]) : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      float a[4], b[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[i] = xs[d][ty * 4 + i];
        b[i] = ws[d][tx * 4 + i];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int m = first_m + ty * 4 + i;
      const int n = first_n + tx * 4 + j;
      if (m >= M || n >= N) continue;
      const int column = group * N + n;
      float value = sums[i][j] * SCALE;
      if (HAS_BIAS) value += bias[column];
      if (HAS_RESIDUAL) value += to_float(residual[(i64)m * R_PITCH + column]);
      y[(i64)m * Y_PITCH + column] = from_float<T>(ACTIVATE(value));
    }
  }
}
