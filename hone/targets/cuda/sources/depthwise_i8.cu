// Convolutions of every channel by itself, over nhwc images of bytes. A thread has VEC channels of
// COLUMNS neighbours in a row of the output. What lies outside the image counts as x's zero point,
// which is part of the bias. Behind integers.cu, bytes.cu and finish.cu.
//
// Set in front of this text, besides what those take: IMAGES, CHANNELS; HEIGHT .. PAD_W of the window;
// X_PITCH, Y_PITCH; VEC, COLUMNS, BLOCK; X_ZERO; W: the type of weights, i8 or i16, [KERNEL_H,
// KERNEL_W, CHANNELS].

constexpr int kPacks = CHANNELS / VEC;
constexpr int kRuns = (OUT_WIDTH + COLUMNS - 1) / COLUMNS;
constexpr int kAll = IMAGES * OUT_HEIGHT * kRuns * kPacks;
// Inputs under a row of the window at all columns.
constexpr int kSpan = (COLUMNS - 1) * STRIDE_W + (KERNEL_W - 1) * DILATION_W + 1;

extern "C" __global__ void __launch_bounds__(BLOCK)
    depthwise_i8(const X* x, const W* w, const int* finish, Y* y TAIL_PARAMS, u64* began) {
  const int index = blockIdx.x * BLOCK + threadIdx.x;
  const int channel = index % kPacks * VEC;
  const int run = index / kPacks % kRuns;
  const int row = index / kPacks / kRuns % OUT_HEIGHT;
  const int image = index / kPacks / kRuns / OUT_HEIGHT;
  const int first = run * COLUMNS;
  // Constants are there whatever has run before.
  Pack<W, VEC> weights[KERNEL_H][KERNEL_W];
#pragma unroll
  for (int kh = 0; kh < KERNEL_H; ++kh) {
#pragma unroll
    for (int kw = 0; kw < KERNEL_W; ++kw) {
      weights[kh][kw] = *(const Pack<W, VEC>*)(w + (kh * KERNEL_W + kw) * CHANNELS + channel);
    }
  }
  const Pack<int, VEC> biases = *(const Pack<int, VEC>*)(finish + channel);
  const Pack<int, VEC> multipliers = *(const Pack<int, VEC>*)(finish + FINISH_PITCH + channel);
  const Pack<int, VEC> shifts = *(const Pack<int, VEC>*)(finish + 2 * FINISH_PITCH + channel);
  int sums[COLUMNS][VEC];
#pragma unroll
  for (int v = 0; v < VEC; ++v) {
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) sums[c][v] = 0;
  }
  wait_for_earlier(began);
  if (index >= kAll) return;
  const X* from = x + (i64)image * (HEIGHT * WIDTH) * X_PITCH + channel;
#pragma unroll
  for (int kh = 0; kh < KERNEL_H; ++kh) {
    const int h = row * STRIDE_H + kh * DILATION_H - PAD_H;
#pragma unroll
    for (int s = 0; s < kSpan; ++s) {
      const int at = first * STRIDE_W + s - PAD_W;
      const bool inside = (u32)h < (u32)HEIGHT && (u32)at < (u32)WIDTH;
      Pack<X, VEC> values;
      if (inside) {
        values = *(const Pack<X, VEC>*)(from + (i64)(h * WIDTH + at) * X_PITCH);
      } else {
#pragma unroll
        for (int v = 0; v < VEC; ++v) values.at[v] = (X)(X_ZERO);
      }
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c) {
        const int reach = s - c * STRIDE_W;
        if (reach < 0 || reach % DILATION_W != 0 || reach / DILATION_W >= KERNEL_W) continue;
#pragma unroll
        for (int v = 0; v < VEC; ++v) {
          sums[c][v] += (int)values.at[v] * (int)weights[kh][reach / DILATION_W].at[v];
        }
      }
    }
  }
  const i64 to = (i64)((image * OUT_HEIGHT + row) * OUT_WIDTH + first) * Y_PITCH + channel;
#pragma unroll
  for (int c = 0; c < COLUMNS; ++c) {
    if (first + c >= OUT_WIDTH) break;
    const i64 at = to + c * Y_PITCH;
    TAIL_LOADS(at)
    Pack<Y, VEC> packed;
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
      const int q = finished(sums[c][v], biases.at[v], multipliers.at[v], shifts.at[v]);
      packed.at[v] = (Y)(TAIL(q, v));
    }
    *(Pack<Y, VEC>*)(y + at) = packed;
  }
}
