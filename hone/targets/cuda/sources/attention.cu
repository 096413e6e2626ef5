// softmax(q k' * SCALE) v for each head, without the scores ever being in memory: a warp has 16 rows
// of q, a block BLOCK_WARPS of them, and all walk over the keys in tiles of 64 with the largest score
// and the sum so far.
//
// Behind copies.cu and matrices.cu. Set in front of this text: T; HEADS; ROWS (of q), KEYS; DEPTH (of
// a head: a multiple of 16); Q_PITCH, K_PITCH, V_PITCH, Y_PITCH: how far apart the tokens are; SCALE; BLOCK_WARPS.

constexpr int kKeys = 64;
constexpr int kThreads = BLOCK_WARPS * 32;
constexpr int kChunks = DEPTH / 8;
constexpr int kTileBytes = kKeys * DEPTH * 2;
constexpr int kDepthSteps = DEPTH / 16;
constexpr int kTiles = (KEYS + kKeys - 1) / kKeys;

__device__ __forceinline__ u32 pair_of(float low, float high) {
  return (u32)from_float<Half>(low).bits | (u32)from_float<Half>(high).bits << 16;
}

// Rows first .. first + rows - 1 of a head into shared memory; zeros behind the last there is.
template <int kRows>
__device__ __forceinline__ void load_rows(u32 to, const T* from, int pitch, int first, int last) {
  for (int i = threadIdx.x; i < kRows * kChunks; i += kThreads) {
    const int r = i / kChunks;
    const int c = i % kChunks;
    const bool there = first + r < last;
    copy_async(to + place<kChunks>(r, c), there ? from + (i64)(first + r) * pitch + c * 8 : from,
               there);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    attention(const T* q, const T* k, const T* v, T* y, u64* began) {
  extern __shared__ __align__(128) unsigned char memory[];
  constexpr int kRows = BLOCK_WARPS * 16;
  const u32 q_tile = (u32)__cvta_generic_to_shared(memory);
  const u32 k_tile = q_tile + kRows * DEPTH * 2;
  const u32 v_tile = k_tile + 2 * kTileBytes;
  const int first = blockIdx.x * kRows;
  const i64 batch = blockIdx.z;
  const int head = blockIdx.y * DEPTH;
  q += batch * ROWS * Q_PITCH + head;
  k += batch * KEYS * K_PITCH + head;
  v += batch * KEYS * V_PITCH + head;
  y += batch * ROWS * Y_PITCH + head;
  let_next_begin();
  wait_for_earlier(began);
  load_rows<kRows>(q_tile, q, Q_PITCH, first, ROWS);
  load_rows<kKeys>(k_tile, k, K_PITCH, 0, KEYS);
  load_rows<kKeys>(v_tile, v, V_PITCH, 0, KEYS);
  commit();
  const int lane = threadIdx.x % 32;
  const int row0 = threadIdx.x / 32 * 16;
  const float infinity = __int_as_float(0x7f800000);
  float most[2] = {-infinity, -infinity};
  float sum[2] = {0.0f, 0.0f};
  float results[DEPTH / 8][4] = {};
  u32 rows[kDepthSteps][4];
  for (int tile = 0; tile < kTiles; ++tile) {
    const int stage = tile % 2;
    if (tile + 1 < kTiles) {
      load_rows<kKeys>(k_tile + (1 - stage) * kTileBytes, k, K_PITCH, (tile + 1) * kKeys, KEYS);
      load_rows<kKeys>(v_tile + (1 - stage) * kTileBytes, v, V_PITCH, (tile + 1) * kKeys, KEYS);
    }
    commit();
    wait_for_copies<1>();
    __syncthreads();
    if (tile == 0) {
#pragma unroll
      for (int d = 0; d < kDepthSteps; ++d) {
        load_matrices(rows[d], q_tile + place<kChunks>(row0 + lane % 16, d * 2 + lane / 16));
      }
    }
    float scores[kKeys / 8][4] = {};
#pragma unroll
    for (int d = 0; d < kDepthSteps; ++d) {
#pragma unroll
      for (int n = 0; n < kKeys / 8; n += 2) {
        u32 b[4];
        const int key = n * 8 + lane % 8 + lane / 16 * 8;
        load_matrices(b, k_tile + stage * kTileBytes + place<kChunks>(key, d * 2 + lane / 8 % 2));
        multiply(scores[n], rows[d], b, T());
        multiply(scores[n + 1], rows[d], b + 2, T());
      }
    }
    // Lanes of four neighbours have two rows between them: lane / 4 and that plus 8.
    float larger_now[2] = {most[0], most[1]};
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int key = tile * kKeys + n * 8 + lane % 4 * 2 + i % 2;
        scores[n][i] = key < KEYS ? scores[n][i] * SCALE : -infinity;
        larger_now[i / 2] = fmaxf(larger_now[i / 2], scores[n][i]);
      }
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      larger_now[r] = fmaxf(larger_now[r], __shfl_xor_sync(0xffffffffu, larger_now[r], 1));
      larger_now[r] = fmaxf(larger_now[r], __shfl_xor_sync(0xffffffffu, larger_now[r], 2));
      const float factor = expf(most[r] - larger_now[r]);
      most[r] = larger_now[r];
      sum[r] *= factor;
#pragma unroll
      for (int n = 0; n < DEPTH / 8; ++n) {
        results[n][2 * r] *= factor;
        results[n][2 * r + 1] *= factor;
      }
    }
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        scores[n][i] = expf(scores[n][i] - most[i / 2]);
        sum[i / 2] += scores[n][i];
      }
    }
#pragma unroll
    for (int s = 0; s < kKeys / 16; ++s) {
      const u32 a[4] = {pair_of(scores[2 * s][0], scores[2 * s][1]),
                        pair_of(scores[2 * s][2], scores[2 * s][3]),
                        pair_of(scores[2 * s + 1][0], scores[2 * s + 1][1]),
                        pair_of(scores[2 * s + 1][2], scores[2 * s + 1][3])};
#pragma unroll
      for (int n = 0; n < DEPTH / 8; n += 2) {
        u32 b[4];
        load_matrices_turned(
            b, v_tile + stage * kTileBytes + place<kChunks>(s * 16 + lane % 16, n + lane / 16));
        multiply(results[n], a, b, T());
        multiply(results[n + 1], a, b + 2, T());
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], 1);
    sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], 2);
    const int row = first + row0 + lane / 4 + 8 * r;
    if (row >= ROWS) continue;
#pragma unroll
    for (int n = 0; n < DEPTH / 8; ++n) {
      *(u32*)(y + (i64)row * Y_PITCH + n * 8 + lane % 4 * 2) =
          pair_of(results[n][2 * r] / sum[r], results[n][2 * r + 1] / sum[r]);
    }
  }
}
