/* A function of one byte. Of its 256 values, value e lies in half e / 128, at 2 (e % 64) + e / 64 % 2, as vlut32
   takes them. */
#if HONE_HVX
HONE_INLINE hone_v hone_hvx_found(hone_v at, hone_v below, hone_v above) {
  hone_v found = Q6_Vb_vlut32_VbVbI(at, below, 0);
  found = Q6_Vb_vlut32or_VbVbVbI(found, at, below, 1);
  found = Q6_Vb_vlut32or_VbVbVbI(found, at, below, 2);
  found = Q6_Vb_vlut32or_VbVbVbI(found, at, below, 3);
  found = Q6_Vb_vlut32or_VbVbVbI(found, at, above, 4);
  found = Q6_Vb_vlut32or_VbVbVbI(found, at, above, 5);
  found = Q6_Vb_vlut32or_VbVbVbI(found, at, above, 6);
  return Q6_Vb_vlut32or_VbVbVbI(found, at, above, 7);
}
#else
HONE_INLINE hone_v hone_hvx_found(hone_v at, hone_v below, hone_v above) {
  uint8_t places[128];
  int8_t table[256], found[128];
  memcpy(places, &at, 128);
  memcpy(table, &below, 128);
  memcpy(table + 128, &above, 128);
  for (int32_t i = 0; i < 128; ++i) {
    const int32_t e = places[i];
    found[i] = table[e / 128 * 128 + 2 * (e % 64) + e / 64 % 2];
  }
  return hone_v_load(found);
}
#endif

HONE_INLINE void hone_hvx_look_up(int32_t count, const int8_t *table, const int8_t *x, int8_t *y) {
  int32_t i = 0;
#if HONE_HVX
  const hone_v below = hone_v_load(table), above = hone_v_load(table + 128);
  if (((uintptr_t)x | (uintptr_t)y) % 128 == 0) { /* Others take a packet each to load and to store. */
    for (; i + 128 <= count; i += 128) {
      hone_v_store(y + i, hone_hvx_found(hone_v_load(x + i), below, above));
    }
    if (i < count) { /* An aligned vector can be read whole, whoever has the rest of it. */
      hone_v_put(y + i, hone_hvx_found(hone_v_load(x + i), below, above), count - i);
    }
    return;
  }
  for (; i + 128 <= count; i += 128) {
    hone_v_store_any(y + i, hone_hvx_found(hone_v_load_any(x + i), below, above));
  }
#endif
  for (; i < count; ++i) {
    const uint8_t e = (uint8_t)x[i];
    y[i] = table[e / 128 * 128 + 2 * (e % 64) + e / 64 % 2];
  }
}
