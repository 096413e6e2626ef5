// y(m, n) as in product_i8.cu for every number of groups and of channels: a thread for each result.
// Behind integers.cu, bytes.cu and finish.cu.
//
// Set in front of this text, besides what those take: M, N (of all groups); HEIGHT .. PAD_W of the
// window; CHANNELS, of a group, and COLUMNS of a group; X_PITCH, Y_PITCH; X_ZERO; W: the type of
// weights, i8 or i16, [N, KERNEL_H, KERNEL_W, CHANNELS]; BLOCK.

extern "C" __global__ void __launch_bounds__(BLOCK)
    plain_product_i8(const X* x, const W* w, const int* finish, Y* y TAIL_PARAMS, u64* began) {
  wait_for_earlier(began);
  const i64 index = (i64)blockIdx.x * BLOCK + threadIdx.x;
  if (index >= (i64)M * N) return;
  const int n = (int)(index % N);
  const int m = (int)(index / N);
  const int image = m / (OUT_HEIGHT * OUT_WIDTH);
  const int pixel = m % (OUT_HEIGHT * OUT_WIDTH);
  const X* from = x + (i64)image * (HEIGHT * WIDTH) * X_PITCH + n / COLUMNS * CHANNELS;
  const W* weights = w + (i64)n * (KERNEL_H * KERNEL_W * CHANNELS);
  int sum = 0;
  for (int kh = 0; kh < KERNEL_H; ++kh) {
    const int h = pixel / OUT_WIDTH * STRIDE_H - PAD_H + kh * DILATION_H;
    for (int kw = 0; kw < KERNEL_W; ++kw, weights += CHANNELS) {
      const int c = pixel % OUT_WIDTH * STRIDE_W - PAD_W + kw * DILATION_W;
      const bool inside = (u32)h < (u32)HEIGHT && (u32)c < (u32)WIDTH;
      const X* values = from + (i64)(h * WIDTH + c) * X_PITCH;
      for (int i = 0; i < CHANNELS; ++i)
        sum += (inside ? (int)values[i] : X_ZERO) * (int)weights[i];
    }
  }
  const int v = finished(sum, finish[n], finish[FINISH_PITCH + n], finish[2 * FINISH_PITCH + n]);
  const i64 at = (i64)m * Y_PITCH + n;
  TAIL_LOADS(at)
  y[at] = (Y)(TAIL(v, 0));
}
