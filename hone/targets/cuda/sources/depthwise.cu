// Convolutions of every channel by itself, over nhwc images. A thread has VEC channels of COLUMNS
// neighbours in a row of the output.
//
// Set in front of this text: T; IMAGES, HEIGHT, WIDTH, CHANNELS, OUT_HEIGHT, OUT_WIDTH; X_PITCH,
// Y_PITCH; KERNEL_H, KERNEL_W, STRIDE_H, STRIDE_W, DILATION_H, DILATION_W, PAD_H, PAD_W; VEC,
// COLUMNS, BLOCK; HAS_BIAS; ACTIVATE(v). Weights are [KERNEL_H, KERNEL_W, CHANNELS].

constexpr int kPacks = CHANNELS / VEC;
constexpr int kRuns = (OUT_WIDTH + COLUMNS - 1) / COLUMNS;
constexpr int kAll = IMAGES * OUT_HEIGHT * kRuns * kPacks;
// Inputs under a row of the window at all columns.
constexpr int kSpan = (COLUMNS - 1) * STRIDE_W + (KERNEL_W - 1) * DILATION_W + 1;

extern "C" __global__ void __launch_bounds__(BLOCK)
    depthwise(const T* x, const T* w, const float* bias, T* y, u64* began) {
  wait_for_earlier(began);
  const int index = blockIdx.x * BLOCK + threadIdx.x;
  if (index >= kAll) return;
  const int channel = index % kPacks * VEC;
  const int run = index / kPacks % kRuns;
  const int row = index / kPacks / kRuns % OUT_HEIGHT;
  const int image = index / kPacks / kRuns / OUT_HEIGHT;
  const int first = run * COLUMNS;
  float sums[COLUMNS][VEC];
#pragma unroll
  for (int v = 0; v < VEC; ++v) {
    const float start = HAS_BIAS ? bias[channel + v] : 0.0f;
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) sums[c][v] = start;
  }
  const T* from = x + (i64)image * (HEIGHT * WIDTH) * X_PITCH + channel;
  // No branch over rows outside the image: loads of all rows can be under way at once.
#pragma unroll
  for (int kh = 0; kh < KERNEL_H; ++kh) {
    const int h = row * STRIDE_H + kh * DILATION_H - PAD_H;
    const bool row_there = (u32)h < (u32)HEIGHT;
    Pack<T, VEC> weights[KERNEL_W];
#pragma unroll
    for (int kw = 0; kw < KERNEL_W; ++kw) {
      weights[kw] = *(const Pack<T, VEC>*)(w + (kh * KERNEL_W + kw) * CHANNELS + channel);
    }
#pragma unroll
    for (int s = 0; s < kSpan; ++s) {
      const int at = first * STRIDE_W + s - PAD_W;
      Pack<T, VEC> values = {};
      if (row_there && (u32)at < (u32)WIDTH) {
        values = *(const Pack<T, VEC>*)(from + (i64)(h * WIDTH + at) * X_PITCH);
      }
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c) {
        const int reach = s - c * STRIDE_W;
        if (reach < 0 || reach % DILATION_W != 0 || reach / DILATION_W >= KERNEL_W) continue;
#pragma unroll
        for (int v = 0; v < VEC; ++v) {
          sums[c][v] += to_float(values.at[v]) * to_float(weights[reach / DILATION_W].at[v]);
        }
      }
    }
  }
  T* to = y + (i64)((image * OUT_HEIGHT + row) * OUT_WIDTH + first) * Y_PITCH + channel;
#pragma unroll
  for (int c = 0; c < COLUMNS; ++c) {
    if (first + c >= OUT_WIDTH) break;
    Pack<T, VEC> packed;
#pragma unroll
    for (int v = 0; v < VEC; ++v) packed.at[v] = from_float<T>(ACTIVATE(sums[c][v]));
    *(Pack<T, VEC>*)(to + c * Y_PITCH) = packed;
  }
}
