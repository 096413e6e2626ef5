// What becomes of a tile's sums. SPLIT blocks, a cluster, may share the depth of a tile: they add up
// their sums through each other's shared memory. Behind product_rows.cu.
//
// Set in front of this text, besides what product_rows.cu takes: N; Y_PITCH, R_PITCH; BATCHED with
// X_STEP, W_STEP, Y_STEP; BM, BN, BK, THREADS, SPLIT; HAS_BIAS, HAS_RESIDUAL, SCALE; ACTIVATE(v).

constexpr int kSumPitch = BN + 4;

// Four sums of the block that has rank `rank` in the cluster.
__device__ __forceinline__ float4 sums_of(u32 address, int rank) {
  float4 v;
#if SPLIT > 1
  u32 there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  asm volatile("ld.shared::cluster.v4.f32 {%0,%1,%2,%3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(there));
#else
  asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(address));
#endif
  return v;
}

__device__ __forceinline__ void write_results(u32 shared, int part, int first_m, int first_n,
                                              const float* bias, const T* residual, T* y) {
  constexpr int kRows = BM / SPLIT;
  constexpr int kPieces = BN / 8;
  for (int i = threadIdx.x; i < kRows * kPieces; i += THREADS) {
    const int row = part * kRows + i / kPieces;
    const int column = i % kPieces * 8;
    const int m = first_m + row;
    const int n = first_n + column;
    if (m >= M || n >= N) continue;
    float v[8] = {};
#pragma unroll
    for (int rank = 0; rank < SPLIT; ++rank) {
      const u32 address = shared + (u32)(row * kSumPitch + column) * 4u;
      const float4 low = sums_of(address, rank);
      const float4 high = sums_of(address + 16u, rank);
      v[0] += low.x, v[1] += low.y, v[2] += low.z, v[3] += low.w;
      v[4] += high.x, v[5] += high.y, v[6] += high.z, v[7] += high.w;
    }
    T* out = y + (i64)m * Y_PITCH + n;
    if constexpr (N % 8 == 0 && Y_PITCH % 8 == 0 && (!HAS_RESIDUAL || R_PITCH % 8 == 0)) {
      Pack<T, 8> r;
      if (HAS_RESIDUAL) r = *(const Pack<T, 8>*)(residual + (i64)m * R_PITCH + n);
      Pack<T, 8> packed;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        float value = v[j] * SCALE;
        if (HAS_BIAS) value += bias[n + j];
        if (HAS_RESIDUAL) value += to_float(r.at[j]);
        packed.at[j] = from_float<T>(ACTIVATE(value));
      }
      *(Pack<T, 8>*)out = packed;
    } else {
      for (int j = 0; j < 8 && n + j < N; ++j) {
        float value = v[j] * SCALE;
        if (HAS_BIAS) value += bias[n + j];
        if (HAS_RESIDUAL) value += to_float(residual[(i64)m * R_PITCH + n + j]);
        out[j] = from_float<T>(ACTIVATE(value));
      }
    }
  }
}
