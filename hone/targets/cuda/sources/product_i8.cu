// y(m, n) = finished(sum over k of x(m, k) * w(n, k)) of bytes on tensor cores.
//
// The work is cut into tiles of BM x BN results, in steps of BK along k; SPLIT blocks, a cluster,
// share the depth of a tile and add up their sums through each other's shared memory. What lies
// outside an image is x's zero point, so that zero points are part of the bias. Weights that do not fit into a byte are several sets of bytes, one behind the other
// along k, for the same x. Behind copies.cu, matrices.cu, integers.cu, bytes.cu, product_rows.cu and
// finish.cu.
//
// Set in front of this text, besides what those take: N; W_PITCH, of all sets, and W_SET of one; LOAD:
// bytes of x that lie side by side in whole pieces; X_ZERO; Y_PITCH; BM, BN, BK, STAGES, WARPS_M, WARPS_N,
// THREADS, SPLIT.

constexpr int kXChunks = BK / 16;
constexpr int kXLoads = (BM * kXChunks + THREADS - 1) / THREADS;
constexpr int kWLoads = (BN * kXChunks + THREADS - 1) / THREADS;
constexpr int kXBytes = BM * BK;
constexpr int kStageBytes = (BM + BN) * BK;
constexpr int kWarpM = BM / WARPS_M;
constexpr int kWarpN = BN / WARPS_N;
constexpr int kTilesM = kWarpM / 16;
constexpr int kTilesN = kWarpN / 8;
constexpr int kAllSteps = (W_PITCH + BK - 1) / BK;
constexpr int kSumPitch = BN + 8;  // So that the sums of a warp hit other banks.
constexpr int kPieces = BN / 4;
constexpr int kRows = BM / SPLIT;  // That this block finishes, so many at a time:
constexpr int kRowStep = THREADS / kPieces;
static_assert(THREADS == WARPS_M * WARPS_N * 32, "as many warps as share the tile");
static_assert(THREADS % kXChunks == 0 && THREADS % kPieces == 0, "a thread keeps its column");
static_assert(kTilesN % 2 == 0 && BM % SPLIT == 0, "tiles are shared out evenly");

__device__ __forceinline__ void copy_piece(u32 to, const X* from) {
#if LOAD == 16
  copy_async(to, from, true);
#elif __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(LOAD));
#elif LOAD == 8
  const uint2 v = *(const uint2*)from;
  asm volatile("st.shared.v2.b32 [%0], {%1,%2};" ::"r"(to), "r"(v.x), "r"(v.y));
#else
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(*(const u32*)from));
#endif
}

// The zero point, from nowhere: were it read, all blocks would read it from one place in memory,
// which takes many times as long as the rest.
__device__ __forceinline__ void store_padding(u32 to) {
  constexpr u32 kZeros = (u32)(u8)(X_ZERO)*0x01010101u;
#if LOAD == 16
  asm volatile("st.shared.v4.b32 [%0], {%1,%1,%1,%1};" ::"r"(to), "r"(kZeros));
#elif LOAD == 8
  asm volatile("st.shared.v2.b32 [%0], {%1,%1};" ::"r"(to), "r"(kZeros));
#else
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(kZeros));
#endif
}

__device__ __forceinline__ void load_x(u32 to, const XRow* rows, int step) {
  const int column = threadIdx.x % kXChunks;
  int k = step * BK + column * 16;
  if (W_PITCH > W_SET) k %= W_SET;
#pragma unroll
  for (int i = 0; i < kXLoads; ++i) {
    const int r = threadIdx.x / kXChunks + i * (THREADS / kXChunks);
    if (BM * kXChunks % THREADS != 0 && r >= BM) break;
    const u32 address = to + place<kXChunks>(r, column);
#pragma unroll
    for (int j = 0; j < 16; j += LOAD) {
      const X* from = x_at(rows[i], k + j);
      if (from) {
        copy_piece(address + j, from);
      } else if (CONV) {
        store_padding(address + j);
      }
    }
  }
}

__device__ __forceinline__ void load_w(u32 to, const i8* w, int first_n, int step) {
  const int column = threadIdx.x % kXChunks;
  const int k = step * BK + column * 16;
#pragma unroll
  for (int i = 0; i < kWLoads; ++i) {
    const int r = threadIdx.x / kXChunks + i * (THREADS / kXChunks);
    if (BN * kXChunks % THREADS != 0 && r >= BN) break;
    const bool there = first_n + r < N && k < W_PITCH;
    copy_async(to + place<kXChunks>(r, column), there ? w + (i64)(first_n + r) * W_PITCH + k : w,
               there);
  }
}

#if X_UNSIGNED
#define MULTIPLY_TYPES "s32.u8.s8.s32"
#else
#define MULTIPLY_TYPES "s32.s8.s8.s32"
#endif
__device__ __forceinline__ void multiply_bytes(int* d, const u32* a, const u32* b) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k32.row.col." MULTIPLY_TYPES
               " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    int* half = d + part % 2 * 2;
    asm volatile("mma.sync.aligned.m8n8k16.row.col." MULTIPLY_TYPES " {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+r"(half[0]), "+r"(half[1])
                 : "r"(a[part]), "r"(b[part / 2]));
  }
#endif
}

__device__ __forceinline__ void multiply_stage(u32 stage, int (*sums)[kTilesN][4]) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int row0 = warp / WARPS_N * kWarpM;
  const int column0 = warp % WARPS_N * kWarpN;
#pragma unroll
  for (int kk = 0; kk < BK / 32; ++kk) {
    u32 a[kTilesM][4];
    u32 b[kTilesN][2];
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
      load_matrices(a[i], stage + place<kXChunks>(row0 + i * 16 + lane % 16, kk * 2 + lane / 16));
    }
#pragma unroll
    for (int j = 0; j < kTilesN; j += 2) {
      u32 r[4];
      const int n = column0 + j * 8 + lane % 8 + lane / 16 * 8;
      load_matrices(r, stage + kXBytes + place<kXChunks>(n, kk * 2 + lane / 8 % 2));
      b[j][0] = r[0];
      b[j][1] = r[1];
      b[j + 1][0] = r[2];
      b[j + 1][1] = r[3];
    }
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int j = 0; j < kTilesN; ++j) multiply_bytes(sums[i][j], a[i], b[j]);
    }
  }
}

// Four sums, of all blocks that share the tile.
__device__ __forceinline__ int4 all_sums(u32 address) {
  int4 all = make_int4(0, 0, 0, 0);
#pragma unroll
  for (int rank = 0; rank < SPLIT; ++rank) {
    int4 v;
#if SPLIT > 1
    u32 there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    asm volatile("ld.shared::cluster.v4.b32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(there));
#else
    asm volatile("ld.shared.v4.b32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address));
#endif
    all.x += v.x, all.y += v.y, all.z += v.z, all.w += v.w;
  }
  return all;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    product_i8(const X* x, const i8* w, const int* finish, Y* y TAIL_PARAMS, u64* began) {
  extern __shared__ __align__(128) unsigned char memory[];
  const u32 shared = shared_address(memory);
  const int part = SPLIT > 1 ? (int)(blockIdx.x % SPLIT) : 0;
  const int first_m = (int)(blockIdx.x / SPLIT) * BM;
  const int first_n = (int)blockIdx.y * BN;
  const int begin = kAllSteps * part / SPLIT;
  const int end = kAllSteps * (part + 1) / SPLIT;
  // Constants are there whatever has run before.
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (begin + s < end) load_w(shared + s * kStageBytes + kXBytes, w, first_n, begin + s);
  }
  XRow rows[kXLoads];
#pragma unroll
  for (int i = 0; i < kXLoads; ++i) {
    rows[i] = x_row(x, first_m + (int)threadIdx.x / kXChunks + i * (THREADS / kXChunks));
  }
  const int n = first_n + (int)threadIdx.x % kPieces * 4;
  Finish constants = {};
  if (n < N) constants = finish_of(finish, n);
  wait_for_earlier(began);
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (begin + s < end) load_x(shared + s * kStageBytes, rows, begin + s);
    commit();
  }
  const int first_row = part * kRows + (int)threadIdx.x / kPieces;
#pragma unroll 1
  for (int r = first_row; r < (part + 1) * kRows; r += kRowStep) {
    if (first_m + r < M && n < N) {
      TAIL_AHEAD((i64)(first_m + r) * Y_PITCH + n)
    }
  }
  int sums[kTilesM][kTilesN][4] = {};
  int stage = 0;
  for (int step = begin; step < end; ++step) {
    wait_for_copies<STAGES - 2>();
    __syncthreads();
    const int ahead = step + STAGES - 1;
    const int filled = (stage + STAGES - 1) % STAGES;
    if (ahead < end) {
      load_w(shared + filled * kStageBytes + kXBytes, w, first_n, ahead);
      load_x(shared + filled * kStageBytes, rows, ahead);
    }
    commit();
    multiply_stage(shared + stage * kStageBytes, sums);
    stage = (stage + 1) % STAGES;
  }
  wait_for_copies<0>();
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  int* all = (int*)memory;
#pragma unroll
  for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
    for (int j = 0; j < kTilesN; ++j) {
      const int row = warp / WARPS_N * kWarpM + i * 16 + lane / 4;
      const int column = warp % WARPS_N * kWarpN + j * 8 + lane % 4 * 2;
      *(int2*)(all + row * kSumPitch + column) = make_int2(sums[i][j][0], sums[i][j][1]);
      *(int2*)(all + (row + 8) * kSumPitch + column) = make_int2(sums[i][j][2], sums[i][j][3]);
    }
  }
  if (SPLIT > 1) {
    wait_for_cluster();
  } else {
    __syncthreads();
  }
#pragma unroll 2
  for (int row = first_row; row < (part + 1) * kRows; row += kRowStep) {
    const int m = first_m + row;
    if (m >= M || n >= N) break;
    const int4 results =
        finished(all_sums(shared + (u32)(row * kSumPitch + (n - first_n)) * 4u), constants);
    const int v[4] = {results.x, results.y, results.z, results.w};
    const i64 at = (i64)m * Y_PITCH + n;
#if PIECE == 4
    TAIL_LOADS(at)
    Pack<Y, 4> packed;
#pragma unroll
    for (int j = 0; j < 4; ++j) packed.at[j] = (Y)(TAIL(v[j], j));
    *(Pack<Y, 4>*)(y + at) = packed;
#else
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (n + j >= N) break;
      TAIL_LOADS(at + j)
      y[at + j] = (Y)(TAIL(v[j], 0));
    }
#endif
  }
  if (SPLIT > 1) wait_for_cluster();  // Others may still read this block's sums.
}
