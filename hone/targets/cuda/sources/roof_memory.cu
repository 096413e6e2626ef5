// Reads, writes or copies memory, ROUNDS times over, 16 bytes a thread at a time: what it can do at
// most. The cache of a multiprocessor is passed by.
//
// Set in front of this text: BLOCK; ROUNDS; one of READ, WRITE, COPY. `pieces` of 16 bytes lie at
// `memory`; copies go from its first half to its second.

constexpr int kAtOnce = 4;  // Loads under way of a thread.

__device__ __forceinline__ uint4 read_piece(const uint4* from) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(from));
  return v;
}
__device__ __forceinline__ void write_piece(uint4* to, uint4 v) {
  asm volatile("st.global.cg.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(to), "r"(v.x), "r"(v.y), "r"(v.z),
               "r"(v.w)
               : "memory");
}

extern "C" __global__ void __launch_bounds__(BLOCK) roof_memory(uint4* memory, u64 pieces) {
#ifdef COPY
  pieces /= 2;
#endif
  const u64 stride = (u64)gridDim.x * BLOCK;
  u32 all = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    for (u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x; i < pieces; i += stride * kAtOnce) {
#ifndef WRITE
      uint4 v[kAtOnce] = {};
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        if (i + j * stride < pieces) v[j] = read_piece(memory + i + j * stride);
      }
#endif
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        if (i + j * stride >= pieces) break;
#ifdef READ
        all ^= v[j].x ^ v[j].y ^ v[j].z ^ v[j].w;
#endif
#ifdef WRITE
        const u32 word = (u32)i + round;
        write_piece(memory + i + j * stride, make_uint4(word, ~word, word * 3u, word * 5u));
#endif
#ifdef COPY
        write_piece(memory + pieces + i + j * stride, v[j]);
#endif
      }
    }
  }
  if (all == 0x9e3779b9u) memory[0].x = all;  // So that reading is for something.
}
