// Functions of 16-bit numbers, read from tables and interpolated, as TFLite does.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace hone {

// 512 pieces over the whole range of int16, and the end of the last.
using Table16 = std::array<int16_t, 513>;

struct TableScale {
  float scale;
  int32_t zero_point;
};
// Of y = function(x), with x and y quantized so.
Table16 make_table16(const std::function<float(float)>& function, TableScale x, TableScale y);
int16_t lookup16(const Table16& table, int16_t x);

// sigmoid(i / 24) * 2^16, each corrected by half the error of interpolating in the middle of the
// piece behind it.
const std::array<uint16_t, 256>& sigmoid_table();
// sigmoid and tanh by that table, times 2^15, of x / (3 * 4096).
int32_t table_sigmoid(int32_t x);
int32_t table_tanh(int32_t x);

}  // namespace hone
