// Pools over windows of nhwc images. A thread has VEC channels of an output pixel.
//
// Set in front of this text: T; IMAGES, HEIGHT, WIDTH, CHANNELS, OUT_HEIGHT, OUT_WIDTH; Y_PITCH;
// KERNEL_H, KERNEL_W, STRIDE_H, STRIDE_W, DILATION_H, DILATION_W, PAD_H, PAD_W, PAD_H_END,
// PAD_W_END; VEC, BLOCK; AVERAGE; COUNT_PAD; ACTIVATE(v).

constexpr int kPacks = CHANNELS / VEC;
constexpr int kAll = IMAGES * OUT_HEIGHT * OUT_WIDTH * kPacks;

extern "C" __global__ void __launch_bounds__(BLOCK) pool(const T* x, T* y, u64* began) {
  wait_for_earlier(began);
  const int index = blockIdx.x * BLOCK + threadIdx.x;
  if (index >= kAll) return;
  const int channel = index % kPacks * VEC;
  const int pixel = index / kPacks;
  const int column = pixel % OUT_WIDTH;
  const int row = pixel / OUT_WIDTH % OUT_HEIGHT;
  const int image = pixel / OUT_WIDTH / OUT_HEIGHT;
  float results[VEC];
#pragma unroll
  for (int v = 0; v < VEC; ++v) results[v] = AVERAGE ? 0.0f : -__int_as_float(0x7f800000);
  int count = 0;
  for (int kh = 0; kh < KERNEL_H; ++kh) {
    const int h = row * STRIDE_H + kh * DILATION_H - PAD_H;
    for (int kw = 0; kw < KERNEL_W; ++kw) {
      const int w = column * STRIDE_W + kw * DILATION_W - PAD_W;
      // Padding counts where that is asked for; what a rounded-up extent adds never does.
      if (COUNT_PAD && h < HEIGHT + PAD_H_END && w < WIDTH + PAD_W_END) ++count;
      if ((u32)h >= (u32)HEIGHT || (u32)w >= (u32)WIDTH) continue;
      if (!COUNT_PAD) ++count;
      const Pack<T, VEC> values =
          *(const Pack<T, VEC>*)(x + ((i64)(image * HEIGHT + h) * WIDTH + w) * CHANNELS + channel);
#pragma unroll
      for (int v = 0; v < VEC; ++v) {
        const float value = to_float(values.at[v]);
        results[v] = AVERAGE ? results[v] + value : (value > results[v] ? value : results[v]);
      }
    }
  }
  Pack<T, VEC> packed;
#pragma unroll
  for (int v = 0; v < VEC; ++v) {
    const float value = AVERAGE ? results[v] / (float)count : results[v];
    packed.at[v] = from_float<T>(ACTIVATE(value));
  }
  *(Pack<T, VEC>*)(y + (i64)pixel * Y_PITCH + channel) = packed;
}
