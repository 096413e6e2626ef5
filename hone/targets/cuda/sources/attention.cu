// softmax(q k' * SCALE) v for each head, without the scores ever being in memory. ROW_WARPS warps have
// 16 rows of q each; KEY_WARPS such groups share the keys, in tiles of 64, and walk over theirs with
// the largest score and the sum so far. In the end they put together what they have.
//
// Behind copies.cu and matrices.cu. Set in front of this text: T; ROWS (of q), KEYS; DEPTH (of a
// head: a multiple of 16); Q_PITCH, K_PITCH, V_PITCH, Y_PITCH: how far apart the tokens are;
// Q_OFFSET, K_OFFSET, V_OFFSET: where the first begins; SCALE; ROW_WARPS, KEY_WARPS.

constexpr int kKeys = 64;
constexpr int kThreads = ROW_WARPS * KEY_WARPS * 32;
constexpr int kRows = ROW_WARPS * 16;
constexpr int kChunks = DEPTH / 8;
constexpr int kTileBytes = kKeys * DEPTH * 2;
constexpr int kRoundBytes = 2 * KEY_WARPS * kTileBytes;  // Keys and values of all groups.
constexpr int kDepthSteps = DEPTH / 16;
constexpr int kTiles = (KEYS + kKeys - 1) / kKeys;
constexpr int kRounds = (kTiles + KEY_WARPS - 1) / KEY_WARPS;
constexpr int kPitch =
    DEPTH + 4;  // Of results in shared memory: the largest and the sum behind them.

__device__ __forceinline__ u32 pair_of(float low, float high) {
  return (u32)from_float<Half>(low).bits | (u32)from_float<Half>(high).bits << 16;
}

// Rows first .. first + kCount - 1 of a head into shared memory; zeros behind the last there is.
template <int kCount>
__device__ __forceinline__ void load_rows(u32 to, const T* from, int pitch, int first, int last) {
  for (int i = threadIdx.x; i < kCount * kChunks; i += kThreads) {
    const int r = i / kChunks;
    const int c = i % kChunks;
    const bool there = first + r < last;
    copy_async(to + place<kChunks>(r, c), there ? from + (i64)(first + r) * pitch + c * 8 : from,
               there);
  }
}
// The tiles of a round, group after group: all keys, then all values.
__device__ __forceinline__ void load_round(u32 to, const T* k, const T* v, int round) {
  constexpr int kCount = KEY_WARPS * kKeys;
  load_rows<kCount>(to, k, K_PITCH, round * kCount, KEYS);
  load_rows<kCount>(to + KEY_WARPS * kTileBytes, v, V_PITCH, round * kCount, KEYS);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    attention(const T* q, const T* k, const T* v, T* y, u64* began) {
  extern __shared__ __align__(128) unsigned char memory[];
  const u32 q_tile = (u32)__cvta_generic_to_shared(memory);
  const u32 tiles = q_tile + kRows * DEPTH * 2;
  const int first = blockIdx.x * kRows;
  const i64 batch = blockIdx.z;
  const int head = blockIdx.y * DEPTH;
  q += batch * ROWS * Q_PITCH + head + Q_OFFSET;
  k += batch * KEYS * K_PITCH + head + K_OFFSET;
  v += batch * KEYS * V_PITCH + head + V_OFFSET;
  y += batch * ROWS * Y_PITCH + head;
  wait_for_earlier(began);
  load_rows<kRows>(q_tile, q, Q_PITCH, first, ROWS);
  load_round(tiles, k, v, 0);
  commit();
  const int lane = threadIdx.x % 32;
  const int row0 = threadIdx.x / 32 % ROW_WARPS * 16;
  const int group = threadIdx.x / 32 / ROW_WARPS;
  const float infinity = __int_as_float(0x7f800000);
  float most[2] = {-infinity, -infinity};
  float sum[2] = {0.0f, 0.0f};
  float results[DEPTH / 8][4] = {};
  u32 rows[kDepthSteps][4];
  for (int round = 0; round < kRounds; ++round) {
    const u32 stage = tiles + round % 2 * kRoundBytes;
    if (round + 1 < kRounds) load_round(tiles + (1 - round % 2) * kRoundBytes, k, v, round + 1);
    commit();
    wait_for_copies<1>();
    __syncthreads();
    if (round == 0) {
#pragma unroll
      for (int d = 0; d < kDepthSteps; ++d) {
        load_matrices(rows[d], q_tile + place<kChunks>(row0 + lane % 16, d * 2 + lane / 16));
      }
    }
    const int tile = round * KEY_WARPS + group;
    const u32 keys = stage + group * kTileBytes;
    const u32 values = keys + KEY_WARPS * kTileBytes;
    if (tile < kTiles) {
      float scores[kKeys / 8][4] = {};
#pragma unroll
      for (int d = 0; d < kDepthSteps; ++d) {
#pragma unroll
        for (int n = 0; n < kKeys / 8; n += 2) {
          u32 b[4];
          const int key = n * 8 + lane % 8 + lane / 16 * 8;
          load_matrices(b, keys + place<kChunks>(key, d * 2 + lane / 8 % 2));
          multiply(scores[n], rows[d], b, T());
          multiply(scores[n + 1], rows[d], b + 2, T());
        }
      }
      // Lanes of four neighbours have two rows between them: lane / 4 and that plus 8. Scores are
      // logarithms to the base 2 from here on.
      const float kToBase2 = SCALE * 1.4426950408889634f;
      float larger_now[2] = {most[0], most[1]};
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int key = tile * kKeys + n * 8 + lane % 4 * 2 + i % 2;
          scores[n][i] = key < KEYS ? scores[n][i] * kToBase2 : -infinity;
          larger_now[i / 2] = fmaxf(larger_now[i / 2], scores[n][i]);
        }
      }
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        larger_now[r] = fmaxf(larger_now[r], __shfl_xor_sync(0xffffffffu, larger_now[r], 1));
        larger_now[r] = fmaxf(larger_now[r], __shfl_xor_sync(0xffffffffu, larger_now[r], 2));
        const float factor = exp2f(most[r] - larger_now[r]);
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
          scores[n][i] = exp2f(scores[n][i] - most[i / 2]);
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
          load_matrices_turned(b, values + place<kChunks>(s * 16 + lane % 16, n + lane / 16));
          multiply(results[n], a, b, T());
          multiply(results[n + 1], a, b + 2, T());
        }
      }
    }
    __syncthreads();
  }
  // Of every group: its results, the largest score and the sum of each row, where the tiles were.
  wait_for_copies<0>();
  float* parts = (float*)memory;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], 1);
    sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], 2);
    float* part = parts + (group * kRows + row0 + lane / 4 + 8 * r) * kPitch;
#pragma unroll
    for (int n = 0; n < DEPTH / 8; ++n) {
      *(float2*)(part + n * 8 + lane % 4 * 2) =
          make_float2(results[n][2 * r], results[n][2 * r + 1]);
    }
    if (lane % 4 == 0) *(float2*)(part + DEPTH) = make_float2(most[r], sum[r]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kRows * kChunks; i += kThreads) {
    const int r = i / kChunks;
    const int column = i % kChunks * 8;
    if (first + r >= ROWS) break;
    float largest = -infinity;
#pragma unroll
    for (int g = 0; g < KEY_WARPS; ++g) {
      largest = fmaxf(largest, parts[(g * kRows + r) * kPitch + DEPTH]);
    }
    float all = 0.0f;
    float mixed[8] = {};
#pragma unroll
    for (int g = 0; g < KEY_WARPS; ++g) {
      const float* part = parts + (g * kRows + r) * kPitch;
      const float factor = exp2f(part[DEPTH] - largest);
      all += factor * part[DEPTH + 1];
#pragma unroll
      for (int j = 0; j < 8; ++j) mixed[j] += factor * part[column + j];
    }
    Pack<T, 8> packed;
#pragma unroll
    for (int j = 0; j < 8; ++j) packed.at[j] = from_float<T>(mixed[j] / all);
    *(Pack<T, 8>*)(y + (i64)(first + r) * Y_PITCH + column) = packed;
  }
}
