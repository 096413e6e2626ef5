// Brings x to what product_i8.cu loads: bytes with channels side by side, so many that words are
// whole. Quantizes floats on the way, and turns channels that lie apart. A thread has a pixel's word.
// Behind integers.cu.
//
// Set in front of this text: FROM and TO: types of elements; IMAGES, PIXELS, CHANNELS; WORDS: of a
// pixel in y; IMAGE_STEP, PIXEL_STEP, CHANNEL_STEP: how far apart elements of x are; QUANTIZE(v);
// BLOCK.

constexpr int kAll = IMAGES * PIXELS * WORDS;

extern "C" __global__ void __launch_bounds__(BLOCK) feed_i8(const FROM* x, TO* y, u64* began) {
  wait_for_earlier(began);
  const int index = blockIdx.x * BLOCK + threadIdx.x;
  if (index >= kAll) return;
  const int first = index % WORDS * 4;
  const int pixel = index / WORDS % PIXELS;
  const int image = index / WORDS / PIXELS;
  const FROM* from = x + (i64)image * IMAGE_STEP + (i64)pixel * PIXEL_STEP;
  Pack<TO, 4> word;
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    const bool there = first + c < CHANNELS;
    word.at[c] = there ? (TO)(QUANTIZE(from[(i64)(first + c) * CHANNEL_STEP])) : (TO)0;
  }
  *(Pack<TO, 4>*)(y + (i64)index * 4) = word;
}
