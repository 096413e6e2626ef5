// Functions of whole rows: a block has a row, each thread every BLOCK-th element of it.
//
// Set in front of this text: T; COLUMNS; BLOCK; SOFTMAX, or LAYER_NORM with EPSILON, RMS, HAS_BIAS.

__device__ __forceinline__ float sum_of_block(float x) {
  __shared__ float parts[32];
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(0xffffffffu, x, offset);
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  float all = 0.0f;
#pragma unroll
  for (int i = 0; i < BLOCK / 32; ++i) all += parts[i];
  return all;
}
__device__ __forceinline__ float max_of_block(float x) {
  __shared__ float parts[32];
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, offset));
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  float all = parts[0];
#pragma unroll
  for (int i = 1; i < BLOCK / 32; ++i) all = fmaxf(all, parts[i]);
  return all;
}

constexpr int kEach = (COLUMNS + BLOCK - 1) / BLOCK;

#if SOFTMAX
extern "C" __global__ void __launch_bounds__(BLOCK) rows(const T* x, T* y, u64* began) {
  let_next_begin();
  wait_for_earlier(began);
  x += (i64)blockIdx.x * COLUMNS;
  y += (i64)blockIdx.x * COLUMNS;
  float values[kEach];
  float most = -__int_as_float(0x7f800000);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int c = threadIdx.x + i * BLOCK;
    values[i] = c < COLUMNS ? to_float(x[c]) : -__int_as_float(0x7f800000);
    most = fmaxf(most, values[i]);
  }
  most = max_of_block(most);
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    values[i] = threadIdx.x + i * BLOCK < COLUMNS ? expf(values[i] - most) : 0.0f;
    sum += values[i];
  }
  sum = sum_of_block(sum);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int c = threadIdx.x + i * BLOCK;
    if (c < COLUMNS) y[c] = from_float<T>(values[i] / sum);
  }
}
#else
extern "C" __global__ void __launch_bounds__(BLOCK)
    rows(const T* x, const T* scale, const T* bias, T* y, u64* began) {
  let_next_begin();
  wait_for_earlier(began);
  x += (i64)blockIdx.x * COLUMNS;
  y += (i64)blockIdx.x * COLUMNS;
  float values[kEach];
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int c = threadIdx.x + i * BLOCK;
    values[i] = c < COLUMNS ? to_float(x[c]) : 0.0f;
    sum += values[i];
  }
  const float mean = RMS ? 0.0f : sum_of_block(sum) / (float)COLUMNS;
  float squares = 0.0f;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const float apart = threadIdx.x + i * BLOCK < COLUMNS ? values[i] - mean : 0.0f;
    squares += apart * apart;
  }
  const float inverse = 1.0f / sqrtf(sum_of_block(squares) / (float)COLUMNS + EPSILON);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int c = threadIdx.x + i * BLOCK;
    if (c >= COLUMNS) break;
    float value = (values[i] - mean) * inverse * to_float(scale[c]);
    if (HAS_BIAS) value += to_float(bias[c]);
    y[c] = from_float<T>(value);
  }
}
#endif
