// y(m, n) = activate(sum over k of x(m, k) * w(n, k) + bias(n) + residual(m, n)) on tensor cores.
//
// The work is cut into tiles of BM x BN results, in steps of BK along k; SPLIT blocks share the depth
// of a tile. Floats are multiplied in TF32, which has no W_ROWS. Behind copies.cu, matrices.cu and
// product_tile.cu.
//
// Set in front of this text, besides what product_tile.cu takes: GATHER (loads of single elements:
// rows are not whole 16 bytes); W_ROWS (w(k, n) instead of w(n, k)) and W_PITCH; W_CONSTANT; STAGES,
// WARPS_M, WARPS_N.

constexpr int kThreads = THREADS;
static_assert(THREADS == WARPS_M * WARPS_N * 32, "as many warps as share the tile");
constexpr int kChunk = 16 / (int)sizeof(T);  // Elements of 16 bytes.
constexpr int kXChunks = BK / kChunk;
constexpr int kWRowChunks = W_ROWS ? BN / kChunk : BK / kChunk;
constexpr int kWRows = W_ROWS ? BK : BN;
constexpr int kXLoads = BM * kXChunks / kThreads;
constexpr int kWLoads = kWRows * kWRowChunks / kThreads;
constexpr int kXBytes = BM * BK * (int)sizeof(T);
constexpr int kWBytes = BN * BK * (int)sizeof(T);
constexpr int kStageBytes = kXBytes + kWBytes;
constexpr int kWarpM = BM / WARPS_M;
constexpr int kWarpN = BN / WARPS_N;
constexpr int kTilesM = kWarpM / 16;
constexpr int kTilesN = kWarpN / 8;
constexpr int kAllSteps = (K + BK - 1) / BK;
static_assert(kXLoads * kThreads == BM * kXChunks, "tiles of x are shared out evenly");
static_assert(kWLoads * kThreads == kWRows * kWRowChunks, "tiles of w are shared out evenly");
static_assert(kThreads % kXChunks == 0 && kThreads % kWRowChunks == 0, "a thread keeps its column");

// The element (m, k) of x, or that and the next where two are a word.
__device__ __forceinline__ u32 word_of(const XRow& row, int k, float) {
  const T* from = x_at(row, k);
  return from ? *(const u32*)from : 0u;
}
template <class Short>
__device__ __forceinline__ u32 word_of(const XRow& row, int k, Short) {
  const Short* low = x_at(row, k);
  const Short* high = x_at(row, k + 1);
  return (low ? (u32)low->bits : 0u) | (high ? (u32)high->bits << 16 : 0u);
}

__device__ __forceinline__ void load_x(u32 to, const XRow* rows, int step, const T* any) {
  const int column = threadIdx.x % kXChunks;
  const int k = step * BK + column * kChunk;
#pragma unroll
  for (int i = 0; i < kXLoads; ++i) {
    const int r = threadIdx.x / kXChunks + i * (kThreads / kXChunks);
    const u32 address = to + place<kXChunks>(r, column);
#if GATHER
    u32 words[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) words[j] = word_of(rows[i], k + j * (kChunk / 4), T());
    asm volatile("st.shared.v4.b32 [%0], {%1,%2,%3,%4};" ::"r"(address), "r"(words[0]),
                 "r"(words[1]), "r"(words[2]), "r"(words[3]));
#else
    const T* from = x_at(rows[i], k);
    copy_async(address, from ? from : any, from != nullptr);
#endif
  }
}

__device__ __forceinline__ void load_w(u32 to, const T* w, int first_n, int step) {
  const int column = threadIdx.x % kWRowChunks;
#pragma unroll
  for (int i = 0; i < kWLoads; ++i) {
    const int r = threadIdx.x / kWRowChunks + i * (kThreads / kWRowChunks);
    const u32 address = to + place<kWRowChunks>(r, column);
#if W_ROWS
    const int k = step * BK + r;
    const int n = first_n + column * kChunk;
    const bool there = k < K && n < N;
    copy_async(address, there ? w + (i64)k * W_PITCH + n : w, there);
#else
    const int k = step * BK + column * kChunk;
    const int n = first_n + r;
    const bool there = n < N && k < W_PITCH;
    copy_async(address, there ? w + (i64)n * W_PITCH + k : w, there);
#endif
  }
}

__device__ __forceinline__ void multiply_stage(u32 stage, float (*sums)[kTilesN][4]) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int row0 = warp / WARPS_N * kWarpM;
  const int column0 = warp % WARPS_N * kWarpN;
#pragma unroll
  for (int kk = 0; kk < BK / (2 * kChunk); ++kk) {  // 32 bytes of k.
    u32 a[kTilesM][4];
    u32 b[kTilesN][2];
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
      load_matrices(a[i], stage + place<kXChunks>(row0 + i * 16 + lane % 16, kk * 2 + lane / 16));
    }
#pragma unroll
    for (int j = 0; j < kTilesN; j += 2) {
      u32 r[4];
#if W_ROWS
      const int k = kk * 16 + lane % 16;
      load_matrices_turned(
          r, stage + kXBytes + place<kWRowChunks>(k, (column0 + j * 8) / 8 + lane / 16));
#else
      const int n = column0 + j * 8 + lane % 8 + lane / 16 * 8;
      load_matrices(r, stage + kXBytes + place<kWRowChunks>(n, kk * 2 + lane / 8 % 2));
#endif
      b[j][0] = r[0];
      b[j][1] = r[1];
      b[j + 1][0] = r[2];
      b[j + 1][1] = r[3];
    }
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int j = 0; j < kTilesN; ++j) multiply(sums[i][j], a[i], b[j], T());
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    product(const T* x, const T* w, const float* bias, const T* residual, T* y, u64* began) {
  extern __shared__ __align__(128) unsigned char memory[];
  const u32 shared = shared_address(memory);
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
    rows[i] = x_row(x, first_m + (int)threadIdx.x / kXChunks + i * (kThreads / kXChunks));
  }
  // Constant weights are there whatever has run before.
#if W_CONSTANT
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (begin + s < end) load_w(shared + s * kStageBytes + kXBytes, w, first_n, begin + s);
  }
  wait_for_earlier(began);
#else
  wait_for_earlier(began);
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (begin + s < end) load_w(shared + s * kStageBytes + kXBytes, w, first_n, begin + s);
  }
#endif
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (begin + s < end) load_x(shared + s * kStageBytes, rows, begin + s, x);
    commit();
  }
  float sums[kTilesM][kTilesN][4] = {};
  int stage = 0;
  for (int step = begin; step < end; ++step) {
    wait_for_copies<STAGES - 2>();
    __syncthreads();
    const int ahead = step + STAGES - 1;
    const int filled = (stage + STAGES - 1) % STAGES;
    if (ahead < end) {
      load_w(shared + filled * kStageBytes + kXBytes, w, first_n, ahead);
      load_x(shared + filled * kStageBytes, rows, ahead, x);
    }
    commit();
    multiply_stage(shared + stage * kStageBytes, sums);
    stage = (stage + 1) % STAGES;
  }
  wait_for_copies<0>();
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  float* all = (float*)memory;
#pragma unroll
  for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
    for (int j = 0; j < kTilesN; ++j) {
      const int row = warp / WARPS_N * kWarpM + i * 16 + lane / 4;
      const int column = warp % WARPS_N * kWarpN + j * 8 + lane % 4 * 2;
      *(float2*)(all + row * kSumPitch + column) = make_float2(sums[i][j][0], sums[i][j][1]);
      *(float2*)(all + (row + 8) * kSumPitch + column) = make_float2(sums[i][j][2], sums[i][j][3]);
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
