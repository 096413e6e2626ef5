/* A function of one byte is the table of its results. */
HONE_INLINE void hone_look_up(int32_t count, const int8_t *table, const int8_t *x, int8_t *y) {
  for (int32_t i = 0; i < count; ++i) y[i] = table[(uint8_t)x[i]];
}
