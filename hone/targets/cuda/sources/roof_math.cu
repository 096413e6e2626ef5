// Nothing but one instruction, over and over: what arithmetic can do at most. Operands are random,
// since a GPU that multiplies zeros draws less power and clocks higher than any network's does.
//
// Set in front of this text: ROUNDS; BLOCK; one of
//   FMA      multiply-adds on cores
//   MMA      products of a warp, `multiply_once`, with A_WORDS and B_WORDS of operands in a thread
//   WGMMA    products of four warps, `multiply_group`, out of shared memory
// and of the last two D_WORDS sums of type D in a thread, with WORD_AND and WORD_OR: which bits of a
// word of operands are random and which are set, so that they are numbers of about 1.

__device__ __forceinline__ u32 random_word(u32 seed) {
  seed = (seed ^ (seed >> 16)) * 0x45d9f3bu;
  seed = (seed ^ (seed >> 13)) * 0x119de1f3u;
  return seed ^ (seed >> 16);
}

#ifdef FMA
constexpr int kSums = 16;  // As many as the latency of an instruction asks for, and more.

extern "C" __global__ void __launch_bounds__(BLOCK) roof_math(float* y) {
  const u32 thread = blockIdx.x * BLOCK + threadIdx.x;
  const float factor = 0.5f + (float)(random_word(thread) & 0xffu) * 0.001f;
  float sums[kSums];
#pragma unroll
  for (int i = 0; i < kSums; ++i) sums[i] = (float)(random_word(thread + i) & 0xffffu);
#pragma unroll 8
  for (int round = 0; round < ROUNDS; ++round) {
#pragma unroll
    for (int i = 0; i < kSums; ++i) sums[i] = fmaf(sums[i], factor, 0.25f);
  }
  float all = 0.0f;
#pragma unroll
  for (int i = 0; i < kSums; ++i) all += sums[i];
  if (all == -1.0f) y[thread] = all;  // Never, which no compiler knows.
}
#endif

#ifdef MMA
constexpr int kSums = 8;

extern "C" __global__ void __launch_bounds__(BLOCK) roof_math(D* y) {
  const u32 thread = blockIdx.x * BLOCK + threadIdx.x;
  u32 a[A_WORDS], b[B_WORDS];
#pragma unroll
  for (int i = 0; i < A_WORDS; ++i) a[i] = (random_word(thread * 8 + i) & WORD_AND) | WORD_OR;
#pragma unroll
  for (int i = 0; i < B_WORDS; ++i) b[i] = (random_word(~thread * 8 + i) & WORD_AND) | WORD_OR;
  D sums[kSums][D_WORDS] = {};
#pragma unroll 4
  for (int round = 0; round < ROUNDS; ++round) {
#pragma unroll
    for (int i = 0; i < kSums; ++i) multiply_once(sums[i], a, b);
  }
  D all = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
#pragma unroll
    for (int d = 0; d < D_WORDS; ++d) all += sums[i][d];
  }
  if (all == (D)-12345) y[thread] = all;
}
#endif

#ifdef WGMMA
// Rows of 128 bytes: 64 of a for every group of four warps, and 256 of b that groups share.
constexpr int kGroups = BLOCK / 128;
constexpr int kABytes = 64 * 128;
constexpr int kBytes = kGroups * kABytes + 256 * 128;

__device__ __forceinline__ u64 matrix_at(u32 address) {
  return (u64)(address >> 4 & 0x3fff) | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}

extern "C" __global__ void __launch_bounds__(BLOCK) roof_math(D* y) {
  extern __shared__ __align__(1024) unsigned char memory[];
  for (int i = threadIdx.x; i < kBytes / 4; i += BLOCK) {
    ((u32*)memory)[i] = (random_word(blockIdx.x * 65536 + i) & WORD_AND) | WORD_OR;
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const u32 shared = (u32)__cvta_generic_to_shared(memory);
  const u64 a = matrix_at(shared + threadIdx.x / 128 * kABytes);
  const u64 b = matrix_at(shared + kGroups * kABytes);
  D sums[D_WORDS] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll 1
  for (int round = 0; round < ROUNDS; ++round) {
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) multiply_group(sums, a + kk * 2, b + kk * 2);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  D all = 0;
#pragma unroll
  for (int d = 0; d < D_WORDS; ++d) all += sums[d];
  if (all == (D)-12345) y[blockIdx.x * BLOCK + threadIdx.x] = all;
}
#endif
