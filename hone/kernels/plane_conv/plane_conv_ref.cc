#include <algorithm>

#include "hone/kernels/plane_conv/plane_conv.h"

namespace hone {

void plane_conv_ref(const PlaneConvRow& row) {
  constexpr size_t kColumns = 4;
  for (size_t i = 0; i < row.pixels * row.columns; ++i) {
    const size_t pixel = i / row.columns, column = i % row.columns;
    const float* w = row.panels + column / kColumns * kColumns * (1 + row.lines * row.taps);
    w += column % kColumns;
    float sum = *w;
    for (size_t line = 0; line < row.lines; ++line) {
      for (size_t tap = 0; tap < row.taps; ++tap) {
        sum += row.x[line][pixel * row.stride + tap] * *(w += kColumns);
      }
    }
    row.y[i] = sum < row.low ? row.low : sum > row.high ? row.high : sum;
  }
}

}  // namespace hone
