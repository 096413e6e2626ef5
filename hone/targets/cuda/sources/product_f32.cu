// y(m, n) of floats without tensor cores: a thread has TM x TN results of a tile. Rows of x stand in
// shared memory as they do in memory, four of a row are read at a time; of w the columns of one k
// stand side by side. The lanes of a warp are 8 down and 4 across: what they read hits other banks.
// Behind copies.cu and product_tile.cu.
//
// Set in front of this text, besides what product_tile.cu takes: GATHER (rows of x are not whole 16
// bytes); W_K, W_N: how far apart the elements of w are along k and n; W_PIECE: elements along n that
// are loaded at once, 4 or 1; BLOCKS that are to fit on a multiprocessor; STAGES, TM, TN.

constexpr int kXPiece = GATHER ? 1 : 4;  // Elements along k that are loaded at once.
constexpr int kXPitch = BK + 4;
constexpr int kWPitch = BN + 4;
constexpr int kWFirst = BM * kXPitch;  // Where w begins in a stage.
constexpr int kStage = kWFirst + BK * kWPitch;
constexpr int kXColumns = BK / kXPiece;
constexpr int kXLoads = BM * kXColumns / THREADS;
constexpr int kWLoads = BN * BK / W_PIECE / THREADS;
constexpr int kAllSteps = (K + BK - 1) / BK;
constexpr int kDown = BM / TM;
constexpr int kAcross = BN / TN;
static_assert(THREADS == kDown * kAcross && kDown % 8 == 0 && kAcross % 4 == 0, "whole warps");
static_assert(kXLoads * THREADS == BM * kXColumns, "shared out evenly");
static_assert(kWLoads * W_PIECE * THREADS == BN * BK, "shared out evenly");

template <int kWords>
__device__ __forceinline__ void copy_words(u32 to, const float* from, bool there) {
  if constexpr (kWords == 4) {
    copy_async(to, from, there);
  } else {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
                 "r"(there ? 4 : 0));
#else
    const float value = there ? *from : 0.0f;
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(value));
#endif
  }
}

// A thread keeps its k: neighbours have the next, which lie side by side in memory.
__device__ __forceinline__ void load_x(u32 to, const XRow* rows, int step, const float* any) {
  const int d = threadIdx.x % kXColumns * kXPiece;
#pragma unroll
  for (int i = 0; i < kXLoads; ++i) {
    const int r = threadIdx.x / kXColumns + i * (THREADS / kXColumns);
    const float* from = x_at(rows[i], step * BK + d);
    copy_words<kXPiece>(to + (u32)(r * kXPitch + d) * 4u, from ? from : any, from != nullptr);
  }
}

__device__ __forceinline__ void load_w(u32 to, const float* w, int first_n, int step) {
#pragma unroll
  for (int i = 0; i < kWLoads; ++i) {
    const int index = (int)threadIdx.x + i * THREADS;
    const int d = W_K == 1 ? index % BK : index / (BN / W_PIECE);
    const int r = W_K == 1 ? index / BK : index % (BN / W_PIECE) * W_PIECE;
    const int k = step * BK + d;
    const int n = first_n + r;
    const bool there = k < K && n < N;
    copy_words<W_PIECE>(to + (u32)(d * kWPitch + r) * 4u,
                        there ? w + (i64)k * W_K + (i64)n * W_N : w, there);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
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
    rows[i] = x_row(x, first_m + (int)threadIdx.x / kXColumns + i * (THREADS / kXColumns));
  }
  wait_for_earlier(began);
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (begin + s < end) {
      load_x(shared + s * kStage * 4, rows, begin + s, x);
      load_w(shared + (s * kStage + kWFirst) * 4, w, first_n, begin + s);
    }
    commit();
  }
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int column = (warp % (kAcross / 4) * 4 + lane % 4) * 4;
  const int row = warp / (kAcross / 4) * 8 + lane / 4;
  float sums[TM][TN] = {};
  int stage = 0;
  for (int step = begin; step < end; ++step) {
    wait_for_copies<STAGES - 2>();
    __syncthreads();
    const int ahead = step + STAGES - 1;
    const int filled = (stage + STAGES - 1) % STAGES;
    if (ahead < end) {
      load_x(shared + filled * kStage * 4, rows, ahead, x);
      load_w(shared + (filled * kStage + kWFirst) * 4, w, first_n, ahead);
    }
    commit();
    const float* xs = stages + stage * kStage;
    const float* ws = xs + kWFirst;
#pragma unroll
    for (int d = 0; d < BK; d += 4) {
      float4 a[TM];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = *(const float4*)(xs + (row + i * kDown) * kXPitch + d);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        float4 b[TN / 4];
#pragma unroll
        for (int j = 0; j < TN / 4; ++j) {
          b[j] = *(const float4*)(ws + (d + e) * kWPitch + column + j * (BN / (TN / 4)));
        }
#pragma unroll
        for (int i = 0; i < TM; ++i) {
          const float v = (&a[i].x)[e];
#pragma unroll
          for (int j = 0; j < TN / 4; ++j) {
            sums[i][4 * j] += v * b[j].x;
            sums[i][4 * j + 1] += v * b[j].y;
            sums[i][4 * j + 2] += v * b[j].z;
            sums[i][4 * j + 3] += v * b[j].w;
          }
        }
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
      const int r = row + i * kDown;
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
