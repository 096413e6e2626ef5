// Transposed convolutions of nhwc images. A thread has VEC channels of an output pixel and gathers
// what the taps bring there: of every input pixel p all products of its channels with those of a tap
// are at `columns`, [p][tap][CHANNELS]; or, with DIRECT, they are computed here.
//
// Set in front of this text: T; IMAGES; what SourceMaker::window sets, where input pixel i reaches
// output pixel i * STRIDE + tap * DILATION - PAD; CHANNELS: of the output; VEC, BLOCK; HAS_BIAS;
// ACTIVATE(v); with DIRECT IN_CHANNELS and GROUPS, and VEC is 1.

constexpr int kPacks = CHANNELS / VEC;
constexpr int kTaps = KERNEL_H * KERNEL_W;
constexpr int kAll = IMAGES * OUT_HEIGHT * OUT_WIDTH * kPacks;

// The input pixel that reaches `out` through a tap; none: -1.
template <int kStride, int kDilation, int kPad, int kExtent>
__device__ __forceinline__ int source_of(int out, int tap) {
  const int far = out + kPad - tap * kDilation;
  if (far < 0 || far % kStride != 0) return -1;
  return far / kStride < kExtent ? far / kStride : -1;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    spread(const T* columns, const T* w, const float* bias, T* y, u64* began) {
  wait_for_earlier(began);
  const int index = blockIdx.x * BLOCK + threadIdx.x;
  if (index >= kAll) return;
  const int channel = index % kPacks * VEC;
  const int pixel = index / kPacks;
  const int column = pixel % OUT_WIDTH;
  const int row = pixel / OUT_WIDTH % OUT_HEIGHT;
  const int image = pixel / OUT_WIDTH / OUT_HEIGHT;
  float sums[VEC] = {};
  for (int kh = 0; kh < KERNEL_H; ++kh) {
    const int h = source_of<STRIDE_H, DILATION_H, PAD_H, HEIGHT>(row, kh);
    if (h < 0) continue;
    for (int kw = 0; kw < KERNEL_W; ++kw) {
      const int v = source_of<STRIDE_W, DILATION_W, PAD_W, WIDTH>(column, kw);
      if (v < 0) continue;
      const i64 from = (i64)(image * HEIGHT + h) * WIDTH + v;
      const int tap = kh * KERNEL_W + kw;
#ifdef DIRECT
      constexpr int kIn = IN_CHANNELS / GROUPS;
      const T* x = columns + from * IN_CHANNELS + channel / (CHANNELS / GROUPS) * kIn;
      const T* weights = w + ((i64)channel * kTaps + tap) * kIn;
      for (int c = 0; c < kIn; ++c) sums[0] += to_float(x[c]) * to_float(weights[c]);
#else
      const Pack<T, VEC> values =
          *(const Pack<T, VEC>*)(columns + (from * kTaps + tap) * CHANNELS + channel);
#pragma unroll
      for (int j = 0; j < VEC; ++j) sums[j] += to_float(values.at[j]);
#endif
    }
  }
  Pack<T, VEC> results;
#pragma unroll
  for (int j = 0; j < VEC; ++j) {
    const float value = HAS_BIAS ? sums[j] + bias[channel + j] : sums[j];
    results.at[j] = from_float<T>(ACTIVATE(value));
  }
  *(Pack<T, VEC>*)(y + (i64)pixel * CHANNELS + channel) = results;
}
