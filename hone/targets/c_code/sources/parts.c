/* Layers in parts, for threads: what is handed to each of them. Parts write other bytes each, and each has scratch memory
   of its own: in whatever order they run, or at the same time, results are the same. */
typedef struct {
  const int8_t *x0, *x1; /* The second where there is one. */
  int8_t *y;
  int8_t *scratch;
  const int8_t *vtcm;  /* Where constants lie; of those that come in pieces the one that is there, */
  int32_t first, end;  /* and the channels that it is of. */
} hone_operands;

/* Bytes before what a part reads and makes, and its rows. */
typedef struct {
  int32_t x, y;
  hone_rows rows;
} hone_row_part;

/* One after another, and all of them before it returns. A product that has threads defines it itself. */
__attribute__((weak)) void hone_run_parts(void (*run)(const void *context, int32_t part),
                                          const void *context, int32_t parts) {
  for (int32_t part = 0; part < parts; ++part) run(context, part);
}
