// y(m, n) of floats without tensor cores: a thread has TM x TN results of a tile, in pieces of 4 x 4
// that lie apart, so that the rows it reads from shared memory hit other banks. Behind copies.cu and
// product_tile.cu.
//
// Set in front of this text, besides what product_tile.cu takes: W_K, W_N: how far apart the elements
// of w are along k and n; W_CONSTANT; STAGES, TM, TN.

constexpr int kXPitch = BM + 4;
constexpr int kWPitch = BN + 4;
constexpr int kStage = BK * (kXPitch + kWPitch);
constexpr int kXLoads = BM * BK / THREADS;
constexpr int kWLoads = BN * BK / THREADS;
constexpr int kAllSteps = (K + BK - 1) / BK;
constexpr int kAcross = BN / TN;
static_assert(THREADS == (BM / TM) * (BN / TN), "a thread for every piece of the tile");
static_assert(kXLoads * THREADS == BM * BK && kWLoads * THREADS == BN * BK, "shared out evenly");

__device__ __forceinline__ void copy_word(u32 to, const float* from, bool there) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
               "r"(there ? 4 : 0));
#else
  const float value = there ? *from : 0.0f;
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(value));
#endif
}
// A thread keeps its k: neighbours have the next, which lie side by side in memory.
__device__ __forceinline__ void load_x(u32 to, const XRow* rows, int step, const float* any) {
  const int d = threadIdx.x % BK;
#pragma unroll
  for (int i = 0; i < kXLoads; ++i) {
    const int r = threadIdx.x / BK + i * (THREADS / BK);
    const float* from = x_at(rows[i], step * BK + d);
    copy_word(to + (u32)(d * kXPitch + r) * 4u, from ? from : any, from != nullptr);
  }
}

__device__ __forceinline__ void load_w(u32 to, const float* w, int first_n, int step) {
#pragma unroll
  for (int i = 0; i < kWLoads; ++i) {
    const int index = (int)threadIdx.x + i * THREADS;
    const int d = W_K == 1 ? index % BK : index / BN;
    const int r = W_K == 1 ? index / BK : index % BN;
    const int k = step * BK + d;
    const int n = first_n + r;
    const bool there = k < K && n < N;
    copy_word(to + (u32)(d * kWPitch + r) * 4u, there ? w + (i64)k * W_K + (i64)n * W_N : w, there);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    product_f32(const float* x, const float* w, const float* bias, const float* residual, float* y,
                u64* began) {
  extern __shared__ __align__(128) float stages[];
  const u32 shared = shared_address(stages);
  const int part = SPLIT > 1 ? (int)(blockIdx.x % SPLIT) : 0;
  const int first_m = (int)(blockIdx.x / SPLIT) * BM;
  const int first_n = (int)blockIdx.y * BN;
#if BATCHED
  x += (i64)blockIdx.z * X_STEP;
  w += (i64)blockIdx.z * W_STEP;
  y += (i64)blockIdx.z * Y_STEP;
#endif
  const int begin = kAllSteps * part / SPLIT;
  const int end = kAllSteps * (part + 1) / SPLIT;
  XRow rows[kXLoads];
#pragma unroll
  for (int i = 0; i < kXLoads; ++i) {
    rows[i] = x_row(x, first_m + (int)threadIdx.x / BK + i * (THREADS / BK));
  }
  wait_for_earlier(began);
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (begin + s < end) {
      load_x(shared + s * kStage * 4, rows, begin + s, x);
      load_w(shared + (s * kStage + BK * kXPitch) * 4, w, first_n, begin + s);
    }
    commit();
  }
  const int column = threadIdx.x % kAcross * 4;
  const int row = threadIdx.x / kAcross * 4;
  float sums[TM][TN] = {};
  int stage = 0;
  for (int step = begin; step < end; ++step) {
    wait_for_copies<STAGES - 2>();
    __syncthreads();
    const int ahead = step + STAGES - 1;
    const int filled = (stage + STAGES - 1) % STAGES;
    if (ahead < end) {
      load_x(shared + filled * kStage * 4, rows, ahead, x);
      load_w(shared + (filled * kStage + BK * kXPitch) * 4, w, first_n, ahead);
    }
    commit();
    const float* xs = stages + stage * kStage;
    const float* ws = xs + BK * kXPitch;
#pragma unroll
    for (int d = 0; d < BK; ++d) {
      float a[TM], b[TN];
#pragma unroll
      for (int i = 0; i < TM / 4; ++i) {
        const float4 v = *(const float4*)(xs + d * kXPitch + row + i * (BM / (TM / 4)));
        a[4 * i] = v.x, a[4 * i + 1] = v.y, a[4 * i + 2] = v.z, a[4 * i + 3] = v.w;
      }
#pragma unroll
      for (int j = 0; j < TN / 4; ++j) {
        const float4 v = *(const float4*)(ws + d * kWPitch + column + j * (BN / (TN / 4)));
        b[4 * j] = v.x, b[4 * j + 1] = v.y, b[4 * j + 2] = v.z, b[4 * j + 3] = v.w;
      }
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] += a[i] * b[j];
      }
    }
    stage = (stage + 1) % STAGES;
  }
  wait_for_copies<0>();
  __syncthreads();
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      const int r = row + i / 4 * (BM / (TM / 4)) + i % 4;
      const int c = column + j / 4 * (BN / (TN / 4));
      *(float4*)(stages + r * kSumPitch + c) =
          make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
    }
  }
  if (SPLIT > 1) {
    wait_for_cluster();
  } else {
    __syncthreads();
  }
  write_results(shared, part, first_m, first_n, bias, residual, y);
  if (SPLIT > 1) wait_for_cluster();  // Others may still read this block's sums.
}
