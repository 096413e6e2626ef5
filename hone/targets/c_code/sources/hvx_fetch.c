/* How constants come into VTCM while others are read there. These two stand for a DMA, or for another thread that copies:
   a product that has one defines them itself. `start` may return before the bytes are there, `wait` when all of them
   are that were started. */
__attribute__((weak)) void hone_fetch_start(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
}
__attribute__((weak)) void hone_fetch_wait(void) {}

/* What lies there does so at multiples of a vector's bytes: loads need not look for that. */
#define HONE_ALIGNED(pointer) __builtin_assume_aligned(pointer, 128)
