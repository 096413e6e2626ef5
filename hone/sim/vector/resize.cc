#include "hone/base/check.h"
#include "hone/sim/vector/vector_views.h"
#include "hone/sim/view_checks.h"

namespace hone::sim {
namespace {

void run_resize(const VectorCommand& command, const VectorOperands& operands, Scratch&) {
  const View& a = command.a;
  const View& output = command.output;
  const auto index = [&](int64_t i, int64_t limit) {
    int32_t value = 0;
    std::memcpy(&value, operands.constants + 4 * i, sizeof(value));
    HONE_CHECK(value >= 0 && value < limit, "resize reads pixel ", value, " of ", limit);
    return int64_t{value};
  };
  for (int64_t y = 0; y < output.height; ++y) {
    const std::byte* row = operands.a + index(y, a.height) * a.row_stride;
    for (int64_t x = 0; x < output.width; ++x) {
      std::memcpy(operands.output + y * output.row_stride + x * output.pixel_stride,
                  row + index(output.height + x, a.width) * a.pixel_stride,
                  size_of(output.channels));
    }
  }
}

int64_t constant_bytes_resize(const VectorCommand& command) {
  return 4 * (command.output.height + command.output.width);
}

// A pixel is read as often as it is written.
int64_t moved_bytes(const VectorCommand& command) {
  return 2 * command.output.elements();
}

}  // namespace

extern const VectorOpDef vector_op_resize = {
    .name = "resize",
    .summary = "To the nearest: (y, x) is a (rows[y], columns[x]), int32 each at constants.",
    .run = run_resize,
    .check = check_channels,
    .constant_bytes = constant_bytes_resize,
    .moved_bytes = moved_bytes,
};

}  // namespace hone::sim
