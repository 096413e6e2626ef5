// y(m, n) as in product.cu, for tiles that groups of four warps multiply straight out of shared memory
// (compute capability 9.0): 64 rows and all BN columns of the tile each, while the next steps load.
//
// Behind copies.cu, matrices.cu, product_rows.cu and product_tile.cu, and `multiply_group`, which is
// written for BN columns. Set in front of this text, besides what product_tile.cu takes: W_PITCH,
// W_CONSTANT, STAGES. BK elements are 128 bytes: what `place` turns around is as the cores expect it.

constexpr int kGroups = BM / 64;
static_assert(THREADS == kGroups * 128, "a group of four warps for every 64 rows");
constexpr int kChunk = 16 / (int)sizeof(T);  // Elements of 16 bytes.
constexpr int kChunks = 8;
static_assert(BK == kChunks * kChunk, "a row of a tile is 128 bytes");
constexpr int kXLoads = BM * kChunks / THREADS;
constexpr int kWLoads = BN * kChunks / THREADS;
constexpr int kXBytes = BM * 128;
constexpr int kStageBytes = kXBytes + BN * 128;
constexpr int kAllSteps = (K + BK - 1) / BK;
static_assert(kWLoads * THREADS == BN * kChunks, "tiles of w are shared out evenly");

__device__ __forceinline__ void load_x(u32 to, const XRow* rows, int step, const T* any) {
  const int column = threadIdx.x % kChunks;
#pragma unroll
  for (int i = 0; i < kXLoads; ++i) {
    const int r = threadIdx.x / kChunks + i * (THREADS / kChunks);
    const T* from = x_at(rows[i], step * BK + column * kChunk);
    copy_async(to + place<kChunks>(r, column), from ? from : any, from != nullptr);
  }
}

__device__ __forceinline__ void load_w(u32 to, const T* w, int first_n, int step) {
  const int column = threadIdx.x % kChunks;
  const int k = step * BK + column * kChunk;
#pragma unroll
  for (int i = 0; i < kWLoads; ++i) {
    const int r = threadIdx.x / kChunks + i * (THREADS / kChunks);
    const bool there = first_n + r < N && k < W_PITCH;
    copy_async(to + place<kChunks>(r, column), there ? w + (i64)(first_n + r) * W_PITCH + k : w,
               there);
  }
}

// What the cores are told of rows of 128 bytes: where they begin, that eight of them are 1024 bytes
// apart, and how their chunks are turned around.
__device__ __forceinline__ u64 matrix_at(u32 address) {
  return (u64)(address >> 4 & 0x3fff) | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    product_groups(const T* x, const T* w, const float* bias, const T* residual, T* y, u64* began) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const u32 shared = shared_address(memory);
  const int part = SPLIT > 1 ? (int)(blockIdx.x % SPLIT) : 0;
  const int first_m = (int)(blockIdx.x / SPLIT) * BM;
  const int first_n = (int)blockIdx.y * BN;
  const int begin = kAllSteps * part / SPLIT;
  const int end = kAllSteps * (part + 1) / SPLIT;
  XRow rows[kXLoads];
#pragma unroll
  for (int i = 0; i < kXLoads; ++i) {
    rows[i] = x_row(x, first_m + (int)threadIdx.x / kChunks + i * (THREADS / kChunks));
  }
  // Constant weights are there whatever has run before.
  if (!W_CONSTANT) wait_for_earlier(began);
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (begin + s < end) load_w(shared + s * kStageBytes + kXBytes, w, first_n, begin + s);
  }
  if (W_CONSTANT) wait_for_earlier(began);
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (begin + s < end) load_x(shared + s * kStageBytes, rows, begin + s, x);
    commit();
  }
  const int group = threadIdx.x / 128;
  float sums[BN / 2] = {};
  int stage = 0;
  for (int step = begin; step < end; ++step) {
    wait_for_copies<STAGES - 2>();
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
    const u32 tile = shared + stage * kStageBytes;
    const u64 a = matrix_at(tile + group * 64 * 128);
    const u64 b = matrix_at(tile + kXBytes);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) multiply_group(sums, a + kk * 2, b + kk * 2);  // 32 bytes of k.
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    // The stage that was multiplied before this one is free: all groups are done with it.
    const int ahead = step + STAGES - 1;
    const int filled = (stage + STAGES - 1) % STAGES;
    if (ahead < end) {
      load_w(shared + filled * kStageBytes + kXBytes, w, first_n, ahead);
      load_x(shared + filled * kStageBytes, rows, ahead, x);
    }
    commit();
    stage = (stage + 1) % STAGES;
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  wait_for_copies<0>();
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const int row = threadIdx.x / 32 * 16 + lane / 4;
  float* all = (float*)memory;
#pragma unroll
  for (int j = 0; j < BN / 8; ++j) {
    const int column = j * 8 + lane % 4 * 2;
    *(float2*)(all + row * kSumPitch + column) = make_float2(sums[4 * j], sums[4 * j + 1]);
    *(float2*)(all + (row + 8) * kSumPitch + column) =
        make_float2(sums[4 * j + 2], sums[4 * j + 3]);
  }
  if (SPLIT > 1) {
    wait_for_cluster();
  } else {
    __syncthreads();
  }
  write_results(shared, part, first_m, first_n, bias, residual, y);
  if (SPLIT > 1) wait_for_cluster();  // Others may still read this block's sums.
}
