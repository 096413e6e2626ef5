/* TFLM's LSTM of bytes, whose cells and gates have 16 bits. Weights are in panels of one cell: those of its gates
   input, forget, cell and output, of which the third is of what is new. */
typedef struct {
  int32_t multiplier, shift;
} hone_factor;

/* What x, or the result of the step before, is multiplied with. */
typedef struct {
  const uint32_t *weights;
  const int32_t *bias;
  int32_t depth;
  int fours; /* Panels are those of fours.c, or else two of product.c. */
  int small; /* All sums are below 2^30. */
  hone_factor gates[4];
} hone_gates;

typedef struct {
  int32_t steps, batch, inputs, cells;
  int32_t step_pitch, batch_pitch; /* Of rows, in rows. */
  int32_t first;                   /* Row of the first step. */
} hone_sequence;

typedef struct {
  hone_factor keep, admit, hidden;
  int32_t shift;       /* Of a cell to the 12 fraction bits of a gate. */
  int32_t limit;       /* Of cells; 0: 16 bits. */
  int32_t zero, start; /* Of the results: their zero point, and what is before the first. */
} hone_cell;

HONE_INLINE int32_t hone_in_16_bits(int32_t x) {
  return x < -32768 ? -32768 : x > 32767 ? 32767 : x;
}
/* Of products of two gates or cells, which are below 2^30. */
HONE_INLINE int32_t hone_by(int32_t x, hone_factor factor) {
  return hone_small_scaled(x, factor.multiplier, factor.shift);
}

/* The table at |x| with so many fraction bits, which the result has on top of its 16; `last` beyond its end. */
HONE_INLINE int32_t hone_between(const uint16_t *table, int32_t x, int32_t bits, int32_t last) {
  const uint32_t size = (uint32_t)(x < 0 ? -x : x);
  const uint32_t piece = size >> bits;
  if (piece >= 255) return last;
  const int32_t here = table[piece], next = table[piece + 1];
  return (here << bits) + (int32_t)(size & ((1u << bits) - 1)) * (next - here);
}
/* Times 2^15, of x / (3 * 4096). */
HONE_INLINE int32_t hone_sigmoid(const uint16_t *table, int32_t x) {
  const int32_t y = hone_between(table, x, 9, 0x7fff << 10);
  return (x >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1) >> 10;
}
HONE_INLINE int32_t hone_tanh(const uint16_t *table, int32_t x) {
  const int32_t y = hone_between(table, x, 8, 0xffff << 8);
  return (x >= 0 ? y - (1 << 23) + (1 << 7) : -y + (1 << 23) + (1 << 7) - 1) >> 8;
}

HONE_INLINE int32_t hone_filled_up(int32_t depth) { return (depth + 7) / 8 * 8; }

HONE_INLINE void hone_put_operand(hone_gates gates, const int8_t *x, uint32_t *row) {
  if (gates.fours) {
    hone_widen_row(x, gates.depth, row);
  } else {
    hone_put_row(x, gates.depth, row);
  }
}

/* Adds to the gates of a cell. */
HONE_INLINE void hone_add_gates(hone_gates gates, const uint32_t *row, int32_t cell, int32_t *z) {
  const int32_t k = hone_filled_up(gates.depth);
  const uint32_t *const weights = gates.weights + cell * k;
  const int32_t *const bias = gates.bias + 4 * cell;
  int32_t sums[4] = {bias[0], bias[1], bias[2], bias[3]};
  if (gates.fours) {
    hone_four_of_row(weights, row, k, bias, sums);
  } else {
    hone_panel_row(weights, row, k, sums, sums + 1);
    hone_panel_row(weights + k / 2, row, k, sums + 2, sums + 3);
  }
#pragma GCC unroll 4
  for (int32_t i = 0; i < 4; ++i) {
    const hone_factor factor = gates.gates[i];
    const int32_t scaled = gates.small ? hone_by(sums[i], factor)
                                       : hone_scaled(sums[i], factor.multiplier, factor.shift);
    z[i] = hone_placed(scaled, z[i], -32768, 32767);
  }
}

/* The result of a cell, of which `c` is what it keeps. */
HONE_INLINE int8_t hone_step_cell(hone_cell cell, const uint16_t *table, const int32_t *z,
                                  int16_t *c) {
  const int32_t input = hone_sigmoid(table, 3 * z[0]), forget = hone_sigmoid(table, 3 * z[1]);
  const int32_t fresh = hone_tanh(table, 3 * z[2]), output = hone_sigmoid(table, 3 * z[3]);
  const int32_t kept = hone_in_16_bits(hone_by(forget * *c, cell.keep));
  const int32_t added = hone_in_16_bits(hone_by(input * fresh, cell.admit));
  int32_t next = hone_in_16_bits(kept + added);
  if (cell.limit > 0) {
    next = next < -cell.limit ? -cell.limit : next > cell.limit ? cell.limit : next;
  }
  *c = (int16_t)next;
  const int32_t at = cell.shift >= 0 ? 3 * next * (1 << cell.shift)
                                     : (3 * next + (1 << (-cell.shift - 1))) >> -cell.shift;
  const int32_t hidden = hone_by(output * hone_tanh(table, at), cell.hidden);
  return (int8_t)hone_placed(hidden, cell.zero, -128, 127);
}

/* `scratch` has both operands in 16 bits, filled up to whole eights, and cells. */
HONE_INLINE void hone_lstm(hone_sequence shape, hone_gates by_x, hone_gates by_h, hone_cell cell,
                           const uint16_t *table, const int8_t *x, int8_t *y, uint32_t *scratch) {
  uint32_t *const h_row = scratch + hone_filled_up(shape.inputs) / 2;
  int16_t *const c = (int16_t *)(h_row + hone_filled_up(shape.cells) / 2);
  for (int32_t sample = 0; sample < shape.batch; ++sample) {
    int32_t row = shape.first + sample * shape.batch_pitch;
    const int8_t *before = y + row * shape.cells;
    memset(y + row * shape.cells, cell.start, (size_t)shape.cells);
    memset(c, 0, (size_t)shape.cells * sizeof(*c));
#pragma GCC unroll 1
    for (int32_t step = 0; step < shape.steps; ++step) {
      int8_t *const here = y + row * shape.cells;
      hone_put_operand(by_x, x + row * shape.inputs, scratch);
      hone_put_operand(by_h, before, h_row);
#pragma GCC unroll 1
      for (int32_t i = 0; i < shape.cells; ++i) {
        int32_t z[4] = {0, 0, 0, 0};
        hone_add_gates(by_x, scratch, i, z);
        hone_add_gates(by_h, h_row, i, z);
        here[i] = hone_step_cell(cell, table, z, c + i);
      }
      before = here;
      row += shape.step_pitch;
    }
  }
}
