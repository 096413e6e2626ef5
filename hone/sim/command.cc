#include "hone/sim/command.h"

namespace hone::sim {

int64_t constants_offset(int64_t channels, int64_t products_per_channel) {
  return (channels * products_per_channel + 3) / 4 * 4;
}

int64_t weight_block_bytes(int64_t channels, int64_t products_per_channel) {
  constexpr int64_t kConstants = 3;  // Bias, multiplier and shift.
  return constants_offset(channels, products_per_channel) + kConstants * 4 * channels;
}

int64_t Product::weight_bytes() const {
  return weight_block_bytes(output.channels, window.taps() * depth());
}

const char* vector_op_name(VectorOp op) {
  switch (op) {
    case VectorOp::Add:
      return "add";
    case VectorOp::Sub:
      return "sub";
    case VectorOp::Mul:
      return "mul";
    case VectorOp::Table:
      return "table";
    case VectorOp::MaxPool:
      return "max_pool";
    case VectorOp::AveragePool:
      return "average_pool";
    case VectorOp::Mean:
      return "mean";
    case VectorOp::Softmax:
      return "softmax";
    case VectorOp::Copy:
      return "copy";
    case VectorOp::Resize:
      return "resize";
  }
  return "?";
}

}  // namespace hone::sim
