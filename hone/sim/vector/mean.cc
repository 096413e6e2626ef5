#include "hone/base/check.h"
#include "hone/sim/vector/vector_views.h"

namespace hone::sim {
namespace {

template <class T>
void run_mean_as(const VectorCommand& command, const VectorOperands& operands) {
  constexpr int64_t kBlock = 16;
  const View& a = command.a;
  const OutputStage& stage = command.stage;
  const auto offset =
      static_cast<uint32_t>(a.height * a.width) * static_cast<uint32_t>(command.a_zero);
  for (int64_t first = 0; first < a.channels; first += kBlock) {
    const int64_t count = std::min(kBlock, a.channels - first);
    uint32_t sums[kBlock] = {};
    for (int64_t y = 0; y < a.height; ++y) {
      const T* from = as<T>(operands.a) + y * a.row_stride + first;
      for (int64_t x = 0; x < a.width; ++x, from += a.pixel_stride) {
        for (int64_t c = 0; c < count; ++c) sums[c] += static_cast<uint32_t>(from[c]);
      }
    }
    for (int64_t c = 0; c < count; ++c) {
      const int64_t scaled =
          scale_by(static_cast<int32_t>(sums[c] - offset), command.factors[2], stage.rounding);
      as<T>(operands.output)[first + c] =
          static_cast<T>(std::clamp<int64_t>(scaled + stage.zero_point, stage.low, stage.high));
    }
  }
}

void run_mean(const VectorCommand& command, const VectorOperands& operands, Scratch&) {
  by_sign(command, [&]<class T>(T) { run_mean_as<T>(command, operands); });
}

void check_mean(size_t index, const VectorCommand& command) {
  const View& y = command.output;
  HONE_CHECK(command.a.channels == y.channels && y.height == 1 && y.width == 1, "command ", index,
             " is a mean of more than one pixel");
}

// Lanes are kept busy by the input.
VectorWork work(const VectorCommand& command) {
  return {command.a.elements(), 1};
}

}  // namespace

extern const VectorOpDef vector_op_mean = {
    .name = "mean",
    .summary = "Over height and width of a: scale_by(sum - n * a_zero, factors[2]).",
    .run = run_mean,
    .check = check_mean,
    .work = work,
};

}  // namespace hone::sim
