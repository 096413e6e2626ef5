// Pools over windows of nhwc images of integers. A thread has VEC channels of an output pixel.
// Behind integers.cu.
//
// Set in front of this text: T; IMAGES, CHANNELS; HEIGHT .. PAD_W of the window, PAD_H_END, PAD_W_END;
// VEC, BLOCK; AVERAGE; COUNT_PAD; ZERO: what 0 is stored as; LEAST: of the type; LOW, HIGH: where
// results are cut.

constexpr int kPacks = CHANNELS / VEC;
constexpr int kAll = IMAGES * OUT_HEIGHT * OUT_WIDTH * kPacks;

extern "C" __global__ void __launch_bounds__(BLOCK) pool_i8(const T* x, T* y, u64* began) {
  wait_for_earlier(began);
  const int index = blockIdx.x * BLOCK + threadIdx.x;
  if (index >= kAll) return;
  const int channel = index % kPacks * VEC;
  const int pixel = index / kPacks;
  const int column = pixel % OUT_WIDTH;
  const int row = pixel / OUT_WIDTH % OUT_HEIGHT;
  const int image = pixel / OUT_WIDTH / OUT_HEIGHT;
  int results[VEC];
#pragma unroll
  for (int v = 0; v < VEC; ++v) results[v] = AVERAGE ? 0 : LEAST;
  int inside = 0;
  int count = 0;
#pragma unroll(KERNEL_H* KERNEL_W <= 25 ? KERNEL_H : 1)
  for (int kh = 0; kh < KERNEL_H; ++kh) {
    const int h = row * STRIDE_H + kh * DILATION_H - PAD_H;
#pragma unroll(KERNEL_H* KERNEL_W <= 25 ? KERNEL_W : 1)
    for (int kw = 0; kw < KERNEL_W; ++kw) {
      const int w = column * STRIDE_W + kw * DILATION_W - PAD_W;
      if (h < HEIGHT + PAD_H_END && w < WIDTH + PAD_W_END) ++count;
      if ((u32)h >= (u32)HEIGHT || (u32)w >= (u32)WIDTH) continue;
      ++inside;
      const Pack<T, VEC> values =
          *(const Pack<T, VEC>*)(x + ((i64)(image * HEIGHT + h) * WIDTH + w) * CHANNELS + channel);
#pragma unroll
      for (int v = 0; v < VEC; ++v) {
        const int value = values.at[v];
        results[v] = AVERAGE ? results[v] + value : (value > results[v] ? value : results[v]);
      }
    }
  }
  Pack<T, VEC> packed;
#pragma unroll
  for (int v = 0; v < VEC; ++v) {
    int value = results[v];
    if (AVERAGE) {
      const int n = COUNT_PAD ? count : inside;
      if (COUNT_PAD) value += (count - inside) * ZERO;
      value = inside == 0 ? ZERO : (value > 0 ? value + n / 2 : value - n / 2) / n;
    }
    packed.at[v] = (T)placed(value, 0, LOW, HIGH);
  }
  *(Pack<T, VEC>*)(y + (i64)pixel * CHANNELS + channel) = packed;
}
