// Functions of whole rows: a block has a row, each thread every BLOCK-th pack of VEC elements of it.
//
// Set in front of this text: T; COLUMNS; VEC, which divides them; BLOCK, in whole warps; SOFTMAX, or
// LAYER_NORM with EPSILON, RMS, HAS_BIAS.

// A sum, or the largest, of a block's threads.
template <bool kSum>
__device__ __forceinline__ float fold(float a, float b) {
  return kSum ? a + b : fmaxf(a, b);
}
template <bool kSum>
__device__ __forceinline__ float of_block(float x) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    x = fold<kSum>(x, __shfl_xor_sync(0xffffffffu, x, offset));
  }
  if (BLOCK == 32) return x;
  __shared__ float parts[32];
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  float all = parts[0];
#pragma unroll
  for (int i = 1; i < BLOCK / 32; ++i) all = fold<kSum>(all, parts[i]);
  return all;
}

constexpr int kPacks = COLUMNS / VEC;
constexpr int kEach = (kPacks + BLOCK - 1) / BLOCK;
using Elements = Pack<T, VEC>;

// The thread's packs of a row; nothing behind its end.
__device__ __forceinline__ void load_row(Elements* packs, const T* row) {
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int pack = threadIdx.x + i * BLOCK;
    packs[i] = {};
    if (pack < kPacks) packs[i] = ((const Elements*)row)[pack];
  }
}
__device__ __forceinline__ bool is_there(int i) {
  return (i + 1) * BLOCK <= kPacks || (int)threadIdx.x + i * BLOCK < kPacks;
}

#if SOFTMAX
extern "C" __global__ void __launch_bounds__(BLOCK) rows(const T* x, T* y, u64* began) {
  wait_for_earlier(began);
  Elements packs[kEach];
  load_row(packs, x + (i64)blockIdx.x * COLUMNS);
  float values[kEach][VEC];
  float most = -__int_as_float(0x7f800000);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
      values[i][v] = to_float(packs[i].at[v]);
      if (is_there(i)) most = fmaxf(most, values[i][v]);
    }
  }
  most = of_block<false>(most);
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
      values[i][v] = is_there(i) ? expf(values[i][v] - most) : 0.0f;
      sum += values[i][v];
    }
  }
  sum = of_block<true>(sum);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    if (!is_there(i)) break;
    Elements results;
#pragma unroll
    for (int v = 0; v < VEC; ++v) results.at[v] = from_float<T>(values[i][v] / sum);
    ((Elements*)(y + (i64)blockIdx.x * COLUMNS))[threadIdx.x + i * BLOCK] = results;
  }
}
#else
extern "C" __global__ void __launch_bounds__(BLOCK)
    rows(const T* x, const T* scale, const T* bias, T* y, u64* began) {
  wait_for_earlier(began);
  Elements packs[kEach], scales[kEach], biases[kEach];
  load_row(packs, x + (i64)blockIdx.x * COLUMNS);
  load_row(scales, scale);
  if (HAS_BIAS) load_row(biases, bias);
  float values[kEach][VEC];
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
      values[i][v] = to_float(packs[i].at[v]);
      sum += values[i][v];
    }
  }
  const float mean = RMS ? 0.0f : of_block<true>(sum) / (float)COLUMNS;
  float squares = 0.0f;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
      const float apart = is_there(i) ? values[i][v] - mean : 0.0f;
      squares += apart * apart;
    }
  }
  const float inverse = 1.0f / sqrtf(of_block<true>(squares) / (float)COLUMNS + EPSILON);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    if (!is_there(i)) break;
    Elements results;
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
      float value = (values[i][v] - mean) * inverse * to_float(scales[i].at[v]);
      if (HAS_BIAS) value += to_float(biases[i].at[v]);
      results.at[v] = from_float<T>(value);
    }
    ((Elements*)(y + (i64)blockIdx.x * COLUMNS))[threadIdx.x + i * BLOCK] = results;
  }
}
#endif
