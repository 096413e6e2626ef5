/* Layers that follow one another go down the image by rows: each computes its next row when those under its
   windows are there. Of what lies between two of them only the rows that are still read are kept. */
typedef struct {
  void (*run)(const int8_t *x, int8_t *y, void *scratch, hone_rows rows);
  int32_t reach, stride, pad; /* Of its windows, in rows. */
  int32_t in_h, out_h;
  int32_t in_bytes, out_bytes; /* Of a row. */
} hone_row_layer;

/* Rows `first` to `end` of a tensor, the latter not included. */
typedef struct {
  int8_t *data;
  int32_t first, end;
} hone_some_rows;

/* Forgets the rows of x before `first`, and moves the others to the front. */
HONE_INLINE void hone_forget_rows(hone_some_rows *x, int32_t first, int32_t bytes) {
  if (first > x->end) first = x->end;
  if (first <= x->first) return;
  const size_t kept = (size_t)((x->end - first) * bytes);
  memmove(x->data, x->data + (first - x->first) * bytes, kept);
  x->first = first;
}

/* `parts` has what each layer reads, and behind it what the last one makes: the first whole, the others without
   rows. */
static __attribute__((noinline, unused)) void hone_run_rows(const hone_row_layer *layers,
                                                          int32_t count, hone_some_rows *parts,
                                                          void *scratch) {
  int32_t at = count - 1;
  while (parts[count].end < layers[count - 1].out_h) {
    const hone_row_layer *const layer = layers + at;
    hone_some_rows *const x = parts + at, *const y = parts + at + 1;
    const int32_t top = y->end * layer->stride - layer->pad;
    const int32_t first = top < 0 ? 0 : top < layer->in_h ? top : layer->in_h;
    int32_t end = top + layer->reach < layer->in_h ? top + layer->reach : layer->in_h;
    if (end < first) end = first;
    if (x->end < end) { /* Rows are missing: the layer before is to go on. */
      hone_forget_rows(x, first, layer->in_bytes);
      --at;
      continue;
    }
    layer->run(x->data + (first - x->first) * layer->in_bytes,
               y->data + (y->end - y->first) * layer->out_bytes, scratch,
               (hone_rows){end - first, 1, first - top});
    ++y->end;
    if (at + 1 < count) ++at;
  }
}
