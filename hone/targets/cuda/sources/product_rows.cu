// Where an element of x is, for products of every kind.
//
// x(m, k) is an element of an nhwc image under tap k / CHANNELS of the window at output pixel m
// (nothing is gathered ahead: the window is walked while loading), or of a plain matrix.
//
// Set in front of this text: T; M, K; X_PITCH; CONV with HEIGHT, WIDTH, CHANNELS, OUT_HEIGHT,
// OUT_WIDTH, KERNEL_H, KERNEL_W, STRIDE_H, STRIDE_W, DILATION_H, DILATION_W, PAD_H, PAD_W.

__device__ __forceinline__ u32 shared_address(const void* p) {
  return (u32)__cvta_generic_to_shared(p);
}

// A row of x: where it begins, and for images where its window does.
struct XRow {
  const T* base;
  int h, w;
  bool there;
};

__device__ __forceinline__ XRow x_row(const T* x, int m) {
  XRow row;
  row.there = m < M;
#if CONV
  const int image = m / (OUT_HEIGHT * OUT_WIDTH);
  const int pixel = m % (OUT_HEIGHT * OUT_WIDTH);
  row.h = pixel / OUT_WIDTH * STRIDE_H - PAD_H;
  row.w = pixel % OUT_WIDTH * STRIDE_W - PAD_W;
  row.base = x + (i64)image * (HEIGHT * WIDTH) * X_PITCH;
#else
  row.h = 0;
  row.w = 0;
  row.base = x + (i64)m * X_PITCH;
#endif
  return row;
}

// The element (m, k), or where a chunk that begins with it does; null outside.
__device__ __forceinline__ const T* x_at(const XRow& row, int k) {
#if CONV
  const int tap = k / CHANNELS;
  const int h = row.h + tap / KERNEL_W * DILATION_H;
  const int w = row.w + tap % KERNEL_W * DILATION_W;
  const bool inside = row.there && k < K && (u32)h < (u32)HEIGHT && (u32)w < (u32)WIDTH;
  return inside ? row.base + (i64)(h * WIDTH + w) * X_PITCH + k % CHANNELS : nullptr;
#else
  return row.there && k < K ? row.base + k : nullptr;
#endif
}

__device__ __forceinline__ void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
#endif
}
