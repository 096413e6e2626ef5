// y(m, n) as in product.cu, for large products of plain matrices (compute capability 9.0): one warp has
// the copy engine fill stage after stage, groups of four warps multiply what is there. The CLUSTER
// blocks of a cluster have one tile of the second operand in common: each loads a part of it for all.
//
// The cores take 64 rows of the first operand for a group, and all columns of the second, both along
// k. That is x and w, or, TURNED, w and x: where floats of w lie along n the cores would not find
// them, so that every thread loads its own of w itself, and results stand the other way round.
//
// Behind product_rows.cu, product_tile.cu and `multiply_group`, which is written for the columns. Set in
// front of this text, besides what product_tile.cu takes: TURNED, CLUSTER, STAGES, W_CONSTANT. THREADS
// are those that multiply; one warp more is launched. BK elements are 128 bytes.

struct alignas(64) MatrixMap {
  u64 words[16];
};

constexpr int kFirst = TURNED ? BN : BM;   // Rows of the first operand in a tile,
constexpr int kSecond = TURNED ? BM : BN;  // and columns of the second.
constexpr int kRow = 128;                  // Bytes of either.
constexpr int kFirstBytes = kFirst * kRow;
constexpr int kStageBytes = kFirstBytes + kSecond * kRow;
constexpr int kPart = kSecond / CLUSTER;  // What a block loads for all.
constexpr int kWarps = THREADS / 32;
constexpr int kAllSteps = (K + BK - 1) / BK;
constexpr int kAhead = kAllSteps < STAGES ? kAllSteps : STAGES;
static_assert(THREADS == kFirst * 2, "a group of four warps for every 64 rows");
static_assert(BK * (int)sizeof(T) == kRow && SPLIT == 1, "whole rows, all of k");

// A barrier of a stage: "full" when all bytes have come, "free" when all warps have multiplied them.
__device__ __forceinline__ u32 full_barrier(u32 shared, int stage) {
  return shared + STAGES * kStageBytes + stage * 8;
}
__device__ __forceinline__ u32 free_barrier(u32 shared, int stage) {
  return full_barrier(shared, STAGES + stage);
}

__device__ __forceinline__ void make_barrier(u32 barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void expect_stage(u32 barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
               "r"(kStageBytes)
               : "memory");
}
__device__ __forceinline__ void wait_at(u32 barrier, int parity) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
          barrier),
      "r"(parity)
      : "memory");
}
// At the same barrier of every block of the cluster.
__device__ __forceinline__ void arrive_everywhere(u32 barrier) {
#pragma unroll
  for (int rank = 0; rank < CLUSTER; ++rank) {
    asm volatile(
        "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(barrier),
        "r"(rank)
        : "memory");
  }
}

// The box of a matrix that begins at `column` of `row`; outside of the matrix it is zeros.
__device__ __forceinline__ void copy_box(u32 to, const MatrixMap* map, int column, int row,
                                         u32 barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];" ::"r"(to),
      "l"(map), "r"(column), "r"(row), "r"(barrier)
      : "memory");
}
// To the same place of every block of the cluster.
__device__ __forceinline__ void copy_box_everywhere(u32 to, const MatrixMap* map, int column,
                                                    int row, u32 barrier) {
#if CLUSTER > 1
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(map), "r"(column), "r"(row), "r"(barrier), "h"((u16)((1 << CLUSTER) - 1))
      : "memory");
#else
  copy_box(to, map, column, row, barrier);
#endif
}

// Which tiles a block has.
struct Place {
  u32 shared;
  int first, second;  // Row and column where they begin.
  int rank;           // In the cluster.
};

__device__ __forceinline__ void load_first(const Place& at, const MatrixMap* map, int step) {
  const int stage = step % STAGES;
  const u32 to = at.shared + stage * kStageBytes;
#if TURNED
  constexpr int kWide = kRow / (int)sizeof(T);
#pragma unroll
  for (int box = 0; box < kFirst / kWide; ++box) {
    copy_box(to + box * BK * kRow, map, at.first + box * kWide, step * BK,
             full_barrier(at.shared, stage));
  }
#else
  copy_box(to, map, step * BK, at.first, full_barrier(at.shared, stage));
#endif
}

__device__ __forceinline__ void load_second(const Place& at, const MatrixMap* map, int step) {
  const int stage = step % STAGES;
  const int part = at.rank * kPart;
  copy_box_everywhere(at.shared + stage * kStageBytes + kFirstBytes + part * kRow, map, step * BK,
                      at.second + part, full_barrier(at.shared, stage));
}

__device__ __forceinline__ void load_all(const Place& at, const MatrixMap* first,
                                         const MatrixMap* second) {
  constexpr bool kFirstThere = W_CONSTANT && TURNED;  // Whatever has run before.
  constexpr bool kSecondThere = W_CONSTANT && !TURNED;
  for (int step = 0; step < kAhead; ++step) {
    expect_stage(full_barrier(at.shared, step));
    if (kFirstThere) load_first(at, first, step);
    if (kSecondThere) load_second(at, second, step);
  }
  wait_for_earlier(nullptr);
  for (int step = 0; step < kAhead; ++step) {
    if (!kFirstThere) load_first(at, first, step);
    if (!kSecondThere) load_second(at, second, step);
  }
  for (int step = kAhead; step < kAllSteps; ++step) {
    const int stage = step % STAGES;
    wait_at(free_barrier(at.shared, stage), (step / STAGES + 1) % 2);
    expect_stage(full_barrier(at.shared, stage));
    load_first(at, first, step);
    load_second(at, second, step);
  }
}

// What the cores are told of rows of 128 bytes: where they begin, that eight of them are 1024 bytes
// apart, and how their chunks are turned around.
__device__ __forceinline__ u64 matrix_at(u32 address) {
  return (u64)(address >> 4 & 0x3fff) | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}

__device__ __forceinline__ void leave_one_running() {
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;" ::: "memory");
}

#if TURNED
// What the cores take of a thread: of row n = lane / 4 and the eighth behind it k = lane % 4 and the
// fourth behind it, of the 8 from `k` on.
__device__ __forceinline__ void load_turned(u32* a, u32 tile, int k) {
  constexpr int kWide = kRow / (int)sizeof(T);
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int n = (int)threadIdx.x / 32 * 16 + lane / 4 + i % 2 * 8;
    const int row = k + lane % 4 + i / 2 * 4;
    const int chunk = (n % kWide / 4) ^ (row % 8);
    const u32 address = tile + n / kWide * (BK * kRow) + row * kRow + chunk * 16 + n % 4 * 4;
    float value;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(address));
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(a[i]) : "f"(value));
  }
}
#endif

// All of k. A stage is given back when what was multiplied after it has begun.
__device__ __forceinline__ void multiply_all(u32 shared, float* sums) {
  const bool speaks = threadIdx.x % 32 == 0;
  for (int step = 0; step < kAllSteps; ++step) {
    const int stage = step % STAGES;
    const u32 tile = shared + stage * kStageBytes;
    const u64 second = matrix_at(tile + kFirstBytes);
    const u32 before = free_barrier(shared, (stage + STAGES - 1) % STAGES);
    wait_at(full_barrier(shared, stage), step / STAGES % 2);
#if TURNED
    u32 a[2][4];
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) {
      load_turned(a[kk % 2], tile, kk * 8);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      multiply_group(sums, a[kk % 2], second + kk * 2);
      leave_one_running();
      if (kk == 0 && step > 0 && speaks) arrive_everywhere(before);
    }
#else
    const u64 first = matrix_at(tile + (int)threadIdx.x / 128 * 64 * kRow);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) multiply_group(sums, first + kk * 2, second + kk * 2);
    leave_one_running();
    if (step > 0 && speaks) arrive_everywhere(before);
#endif
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// Among those that multiply.
__device__ __forceinline__ void wait_for_warps() {
  asm volatile("bar.sync 1, %0;" ::"n"(THREADS) : "memory");
}

__device__ __forceinline__ void keep_sums(unsigned char* memory, const float* sums) {
  const int lane = threadIdx.x % 32;
  const int row = threadIdx.x / 32 * 16 + lane / 4;
  float* all = (float*)memory;
#pragma unroll
  for (int j = 0; j < kSecond / 8; ++j) {
    const int column = j * 8 + lane % 4 * 2;
#if TURNED
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      all[(column + i % 2) * kSumPitch + row + i / 2 * 8] = sums[4 * j + i];
    }
#else
    *(float2*)(all + row * kSumPitch + column) = make_float2(sums[4 * j], sums[4 * j + 1]);
    *(float2*)(all + (row + 8) * kSumPitch + column) =
        make_float2(sums[4 * j + 2], sums[4 * j + 3]);
#endif
  }
}

extern "C" __global__ void __launch_bounds__(THREADS + 32)
    product_bulk(const __grid_constant__ MatrixMap x_map, const __grid_constant__ MatrixMap w_map,
                 const float* bias, const T* residual, T* y, u64* began) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Place at;
  at.shared = shared_address(memory);
  at.first = (int)blockIdx.x * kFirst;
  at.second = (int)blockIdx.y * kSecond;
  at.rank = (int)blockIdx.x % CLUSTER;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < STAGES; ++stage) {
      make_barrier(full_barrier(at.shared, stage), 1);
      make_barrier(free_barrier(at.shared, stage), kWarps * CLUSTER);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (CLUSTER > 1) {
    wait_for_cluster();
  } else {
    __syncthreads();
  }
  if (threadIdx.x >= THREADS) {
    if (threadIdx.x == THREADS) {
      load_all(at, TURNED ? &w_map : &x_map, TURNED ? &x_map : &w_map);
    }
    __syncwarp();
  } else {
    wait_for_earlier(began);
    float sums[kSecond / 2] = {};
    multiply_all(at.shared, sums);
    wait_for_warps();  // All are done with the stages.
    keep_sums(memory, sums);
    wait_for_warps();
    const int first_m = TURNED ? at.second : at.first;
    const int first_n = TURNED ? at.first : at.second;
    write_results(at.shared, 0, first_m, first_n, bias, residual, y);
  }
  if (CLUSTER > 1) wait_for_cluster();  // Others may still speak to this block's barriers.
}
