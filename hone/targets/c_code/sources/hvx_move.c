/* Elements in another order, as of hone_move, by vectors: where many of them stay side by side, and where few rows
   become columns. x is read up to its end, and no further. */

/* Nothing behind y is written over, as a row of a whole is, whose other parts may be there. */
HONE_INLINE int8_t *hone_hvx_copy_run(int32_t count, const int8_t *x, const int8_t *x_end,
                                      int8_t *y) {
  int32_t i = 0;
  for (; i + 128 <= count; i += 128) hone_v_store_any(y + i, hone_v_load_any(x + i));
  if (i < count && count >= 128) { /* The last vector begins among what is there already. */
    hone_v_store_any(y + count - 128, hone_v_load_any(x + count - 128));
  } else if (i < count) {
    hone_v_put(y, hone_v_load_before(x, x_end), count);
  }
  return y + count;
}

/* Rows of a part into rows of the whole. */
HONE_INLINE void hone_hvx_copy_rows(int32_t rows, int32_t bytes, int32_t pitch, const int8_t *x,
                                    int8_t *y) {
  const int8_t *const x_end = x + rows * bytes;
  for (int32_t row = 0; row < rows; ++row) {
    hone_hvx_copy_run(bytes, x + row * bytes, x_end, y + row * pitch);
  }
}

HONE_INLINE void hone_hvx_move(int32_t n0, int32_t s0, int32_t n1, int32_t s1, int32_t n2, int32_t s2,
                               int32_t n3, int32_t s3, int32_t n4, int32_t s4, int32_t count,
                               const int8_t *x, const int8_t *x_end, int8_t *y) {
  for (int32_t i0 = 0; i0 < n0; ++i0) {
    for (int32_t i1 = 0; i1 < n1; ++i1) {
      for (int32_t i2 = 0; i2 < n2; ++i2) {
        for (int32_t i3 = 0; i3 < n3; ++i3) {
          for (int32_t i4 = 0; i4 < n4; ++i4) {
            const int8_t *const from = x + i0 * s0 + i1 * s1 + i2 * s2 + i3 * s3 + i4 * s4;
            y = hone_hvx_copy_run(count, from, x_end, y);
          }
        }
      }
    }
  }
}

/* Rows of bytes side by side, each from where `starts` says. */
HONE_INLINE void hone_hvx_take(int32_t rows, const int32_t *starts, int32_t count, const int8_t *x,
                               const int8_t *x_end, int8_t *y) {
  for (int32_t row = 0; row < rows; ++row) y = hone_hvx_copy_run(count, x + starts[row], x_end, y);
}

/* `rows` of `count` bytes, `stride` apart, as columns. Of 128 of their bytes come `rows` vectors: `places` has for each
   of them, and for each row, which of its bytes go where, and 255 where others do. */
#define HONE_HVX_WOVEN 4 /* Rows at most. */
HONE_INLINE int8_t *hone_hvx_weave(int32_t rows, int32_t stride, int32_t count, const int8_t *places,
                                   const int8_t *x, const int8_t *x_end, int8_t *y) {
  for (int32_t i = 0; i < count; i += 128) {
    const int32_t bytes = rows * (count - i < 128 ? count - i : 128);
    hone_v table[HONE_HVX_WOVEN];
    HONE_UNROLL for (int32_t r = 0; r < rows; ++r) {
      table[r] = hone_v_pickable(hone_v_load_before(x + r * stride + i, x_end));
    }
    HONE_UNROLL for (int32_t k = 0; k < rows; ++k) {
      hone_v woven = hone_v_words(0);
      HONE_UNROLL for (int32_t r = 0; r < rows; ++r) {
        woven = hone_v_or_picked(woven, hone_v_load(places + 128 * (k * rows + r)), table[r]);
      }
      const int32_t left = bytes - 128 * k;
      if (left >= 128) {
        hone_v_store_any(y + 128 * k, woven);
      } else if (left > 0) {
        hone_v_put(y + 128 * k, woven, left);
      }
    }
    y += bytes;
  }
  return y;
}

HONE_INLINE void hone_hvx_move_rows(int32_t n0, int32_t s0, int32_t n1, int32_t s1, int32_t n2,
                                    int32_t s2, int32_t n3, int32_t s3, int32_t count, int32_t rows,
                                    int32_t stride, const int8_t *places, const int8_t *x,
                                    const int8_t *x_end, int8_t *y) {
  for (int32_t i0 = 0; i0 < n0; ++i0) {
    for (int32_t i1 = 0; i1 < n1; ++i1) {
      for (int32_t i2 = 0; i2 < n2; ++i2) {
        for (int32_t i3 = 0; i3 < n3; ++i3) {
          const int8_t *const from = x + i0 * s0 + i1 * s1 + i2 * s2 + i3 * s3;
          y = hone_hvx_weave(rows, stride, count, places, from, x_end, y);
        }
      }
    }
  }
}
