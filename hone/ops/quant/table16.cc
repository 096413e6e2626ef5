#include "hone/ops/quant/table16.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr int kPieces = 512;

int16_t to_int16(float x) {
  return static_cast<int16_t>(std::clamp(x, -32768.0f, 32767.0f));
}

double scaled_sigmoid(double i) {
  return 65536 / (1 + std::exp(-i / 24));
}

// The table at |x| with `bits` fraction bits, which the result has on top of its 16; `last` beyond
// its end.
int32_t interpolate(int32_t x, int bits, int32_t last) {
  const auto magnitude = static_cast<uint32_t>(std::abs(x));
  const size_t piece = magnitude >> bits;
  if (piece >= 255) return last;
  const int32_t here = sigmoid_table()[piece];
  const int32_t next = sigmoid_table()[piece + 1];
  const auto fraction = static_cast<int32_t>(magnitude & ((1u << bits) - 1));
  return (here << bits) + fraction * (next - here);
}

}  // namespace

Table16 make_table16(const std::function<float(float)>& function, TableScale x, TableScale y) {
  const float first = x.scale * static_cast<float>(-32768 - x.zero_point);
  const float last = x.scale * static_cast<float>(32767 - x.zero_point);
  const float low = y.scale * static_cast<float>(-32768 - y.zero_point);
  const float high = y.scale * static_cast<float>(32767 - y.zero_point);
  const float step = (last - first) / kPieces;
  const float inverse = 65536.0f / (high - low);
  const auto scaled = [&](float at) { return function(at) * inverse; };
  Table16 table;
  for (int i = 0; i < kPieces; ++i) {
    const float at = first + static_cast<float>(i) * step;
    const float here = std::round(scaled(at));
    const float next = scaled(first + static_cast<float>(i + 1) * step);
    const float interpolated = std::round((next + here) / 2);
    const float error = interpolated - std::round(scaled(at + step / 2));
    table[static_cast<size_t>(i)] = to_int16(here - std::round(error / 2));
  }
  table[kPieces] = to_int16(std::round(scaled(last)));
  return table;
}

int16_t lookup16(const Table16& table, int16_t x) {
  const auto piece = static_cast<size_t>(256 + (x >> 7));
  const int32_t offset = x & 0x7f;
  const int32_t slope = static_cast<int16_t>(table[piece + 1] - table[piece]);
  return static_cast<int16_t>(table[piece] + ((slope * offset + 64) >> 7));
}

const std::array<uint16_t, 256>& sigmoid_table() {
  static const std::array<uint16_t, 256> kTable = [] {
    std::array<uint16_t, 256> table;
    for (size_t i = 0; i < table.size(); ++i) {
      const auto at = static_cast<double>(i);
      const double here = scaled_sigmoid(at);
      const double error = scaled_sigmoid(at + 0.5) - (here + scaled_sigmoid(at + 1)) / 2;
      table[i] = static_cast<uint16_t>(std::floor(here + error / 2 + 0.5));
    }
    table.back() = 65535;  // Beyond it lies 1.
    return table;
  }();
  return kTable;
}

int32_t table_sigmoid(int32_t x) {
  const int32_t y = interpolate(x, 9, 0x7FFF << 10);
  return (x >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1) >> 10;
}

int32_t table_tanh(int32_t x) {
  const int32_t y = interpolate(x, 8, 0xFFFF << 8);
  return (x >= 0 ? y - (1 << 23) + (1 << 7) : -y + (1 << 23) + (1 << 7) - 1) >> 8;
}

}  // namespace hone
