#include "hone/sim/vector/pools.h"

#include "hone/kernels/pool/pool.h"
#include "hone/sim/vector/vector_views.h"
#include "hone/sim/view_checks.h"

namespace hone::sim {
namespace {

template <class T>
void run_pool_as(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch,
                 bool average) {
  static const Pool<T> pool = best_variant(pool_variants<T>()).run;
  View a = command.a;
  Window2d window = command.window;
  cut_unread(a, window);
  const std::byte* x = operands.a + (a.at.offset - command.a.at.offset);
  const View& output = command.output;
  const size_t in = dense(a) ? 0 : aligned_size(size_of(a.elements()));
  const size_t out = dense(output) ? 0 : size_of(output.elements());
  std::byte* memory = scratch.reserve(in + out);
  if (in > 0) gather(a, x, memory);
  std::byte* y = out > 0 ? memory + in : operands.output;
  const auto axis = [](int64_t from, int64_t to, int64_t kernel, int64_t stride, int64_t dilation,
                       int64_t pad) {
    return PoolAxis{.in = size_of(from),
                    .out = size_of(to),
                    .kernel = size_of(kernel),
                    .stride = size_of(stride),
                    .dilation = size_of(dilation),
                    .pad_begin = size_of(pad)};
  };
  pool({.average = average,
        .count_pad = false,
        .height = axis(a.height, output.height, window.kernel_h, window.stride_h, window.dilation_h,
                       window.pad_top),
        .width = axis(a.width, output.width, window.kernel_w, window.stride_w, window.dilation_w,
                      window.pad_left),
        .channels = size_of(output.channels),
        .x = as<T>(in > 0 ? memory : x),
        .y = as<T>(y),
        .low = static_cast<float>(command.stage.low),
        .high = static_cast<float>(command.stage.high),
        .zero = static_cast<T>(command.a_zero)},
       0, size_of(output.height));
  if (out > 0) scatter(output, y, operands.output);
}

}  // namespace

void run_pool(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch,
              bool average) {
  by_sign(command, [&]<class T>(T) { run_pool_as<T>(command, operands, scratch, average); });
}

void check_pool(size_t index, const VectorCommand& command) {
  check_window(index, command.a, command.window);
  check_channels(index, command);
}

VectorWork pool_work(const VectorCommand& command) {
  return {command.output.elements(), command.window.taps()};
}

}  // namespace hone::sim
